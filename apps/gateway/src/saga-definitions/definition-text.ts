import type { Refusal } from '@countersign/calls';
import { canonicalText, sha256Hex } from '@countersign/contracts';
import type { SagaDefinitionRequest } from '@countersign/definitions';
import { type DefinitionFault, faultAt, type SagaDefinition, type SagaDefinitionVersion } from '@countersign/domain';
import { refusedDefinition } from './refused-definition.js';
import type { DefinitionSummary, DefinitionVersion, Finding } from './saga-definitions.schemas.js';

export const DEFINITION_BYTES_MAX = 65_536;

/** A definition with the text that is recorded of it. */
export interface CheckedText {
  definition: SagaDefinition;
  /** Canonical JSON. */
  definition_json: string;
  /** SHA-256 of it, hex. */
  digest: string;
}

/** The canonical text of a definition; a refusal where it is too long. */
export function definitionText(request: SagaDefinitionRequest): CheckedText | Refusal {
  const definition = request as SagaDefinition;
  const definition_json = canonicalText(definition);
  const bytes = Buffer.byteLength(definition_json);
  if (bytes <= DEFINITION_BYTES_MAX) return { definition, definition_json, digest: sha256Hex(definition_json) };
  return refusedDefinition([faultAt(null, '', `the definition has ${bytes} bytes of JSON, at most ${DEFINITION_BYTES_MAX} are allowed`)]);
}

export const findingOf = ({ step, pointer, message }: DefinitionFault): Finding => ({ step, pointer, message });

type Published = Omit<DefinitionVersion, 'definition'>;

export function publishedOf({ name, version, digest, by, published_at_ms }: SagaDefinitionVersion): Published {
  const published_at = new Date(published_at_ms).toISOString();
  return { name, version, digest, published_by: { kind: by.kind, id: by.id }, published_at };
}

export function versionOf(published: SagaDefinitionVersion): DefinitionVersion {
  return { ...publishedOf(published), definition: JSON.parse(published.definition_json) as DefinitionVersion['definition'] };
}

/** The newest of these versions (newest first, at least one), with the names of all. */
export function summaryOf(versions: readonly SagaDefinitionVersion[]): DefinitionSummary {
  return { ...publishedOf(versions[0] as SagaDefinitionVersion), versions: versions.map(({ version }) => version) };
}
