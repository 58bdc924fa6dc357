import { type Caller, CompiledContracts, isTooDeep, noSuchTool, Refusal } from '@countersign/calls';
import {
  faultAt,
  inRangeText,
  resolveVersion,
  type SagaDefinition,
  type SagaDefinitionVersion,
  sagaDefinitionsOf,
  sagaDefinitionVersions,
} from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { compileDefinition } from '../saga-definitions/compile-definition.js';
import { type CheckedText, definitionText } from '../saga-definitions/definition-text.js';
import { refusedDefinition } from '../saga-definitions/refused-definition.js';
import { tenantTools } from '../saga-definitions/tenant-tools.js';
import type { SagaRequest } from './saga-request.schemas.js';
import { shortPointer, wholeDefinition } from './short-definition.js';

/** Bytes of canonical JSON of a definition in a request; larger ones must be published. */
export const INLINE_BYTES_MAX = 16_384;
/** How long a definition without faults is not compiled again, ms. The tools of the tenant may change meanwhile. */
const COMPILED_FOR_MS = 60_000;
const COMPILED_MAX = 1_000;

/** The definition that a saga runs. */
export interface ChosenDefinition extends CheckedText {
  /** Exact; null if the request contains the definition. */
  published: { name: string; version: string } | null;
}

/** Finds the definition of a request, or compiles the one that it contains. */
@Injectable()
export class SagaDefinitionChoice {
  /** Definitions without faults, by tenant and digest. */
  private readonly compiled = new LRUCache<string, true>({ max: COMPILED_MAX, ttl: COMPILED_FOR_MS });
  /** By the published version in the configuration. */
  private readonly parsed = new WeakMap<SagaDefinitionVersion, ChosenDefinition>();
  private readonly schemas = new CompiledContracts();

  constructor(private readonly configuration: ConfigurationService) {}

  of({ tenant_id }: Caller, definition: SagaRequest['definition']): ChosenDefinition | Refusal | Promise<ChosenDefinition | Refusal> {
    if ('root' in definition) return this.inline(tenant_id, definition as SagaDefinition);
    if (!('steps' in definition)) return this.published(tenant_id, definition);
    const unknown = new Set<string>();
    const whole = wholeDefinition(definition, (tool) => this.newestVersion(tenant_id, tool, unknown));
    const [missing] = unknown;
    return missing === undefined ? this.inline(tenant_id, whole, shortPointer) : noSuchTool(this.configuration.state, tenant_id, missing);
  }

  /** Checks inputs against the schema of a definition, and fills in its defaults. */
  inputFault({ definition, digest }: ChosenDefinition, inputs: Record<string, unknown>): Refusal | undefined {
    const fault = (detail: string, issues: readonly { path: string; code: string; message: string }[] = []) =>
      new Refusal('invalid-inputs', detail, { layer: 'input', issues });
    if (isTooDeep(inputs)) return fault('the inputs are nested too deeply');
    if (!definition.input_schema) return undefined;
    const check = this.schemas.of({ digest: `saga ${digest}`, contract: { input_schema: definition.input_schema } });
    if (typeof check === 'string')
      return refusedDefinition([faultAt(null, '/input_schema', `the schema of the inputs cannot be used: ${check}`)]);
    const issues = check(inputs);
    const [first] = issues;
    return first && fault(`${first.path || 'the inputs'}: ${first.message}`, issues);
  }

  private newestVersion(tenant_id: string, tool: string, unknown: Set<string>): string {
    const found = resolveVersion(this.configuration.state, tenant_id, tool, undefined);
    if (found.kind === 'found' || found.kind === 'blocked') return found.tool.version;
    unknown.add(tool);
    return '0.0.0';
  }

  private published(tenant_id: string, { name, version }: { name: string; version?: string | undefined }): ChosenDefinition | Refusal {
    const exact = version === undefined ? undefined : sagaDefinitionsOf(this.configuration.state, tenant_id).get(name)?.get(version);
    if (exact) return this.parsedOf(exact);
    const versions = sagaDefinitionVersions(this.configuration.state, tenant_id, name);
    if (versions.length === 0)
      return new Refusal('not-found', `there is no saga definition ${name}`, { reason: 'saga_definition_not_found' });
    const isWanted = version === undefined ? () => true : inRangeText(version);
    if (!isWanted)
      return new Refusal('invalid-request', 'a version is `1.2.3`, `^1.2.0` or `~1.2.0`', {
        issues: [{ path: '/definition/version', code: 'version_range', message: 'is not a version or a range' }],
      });
    const found = versions.find((one) => isWanted(one.version));
    if (!found)
      return new Refusal('not-found', `no version of the saga definition ${name} is ${version}`, {
        reason: 'saga_definition_version_not_found',
      });
    return this.parsedOf(found);
  }

  private parsedOf(published: SagaDefinitionVersion): ChosenDefinition {
    const { name, version, definition_json, digest } = published;
    const known = this.parsed.get(published);
    if (known) return known;
    const definition = JSON.parse(definition_json) as SagaDefinition;
    const chosen = { definition, definition_json, digest, published: { name, version } };
    this.parsed.set(published, chosen);
    return chosen;
  }

  /** `placeOf`: where a fault is in the request. */
  private async inline(
    tenant_id: string,
    given: SagaDefinition,
    placeOf = (pointer: string): string => pointer,
  ): Promise<ChosenDefinition | Refusal> {
    const text = definitionText(given as never);
    if (text instanceof Refusal) return text;
    const bytes = Buffer.byteLength(text.definition_json);
    if (bytes > INLINE_BYTES_MAX) {
      const message = `has ${bytes} bytes of JSON, at most ${INLINE_BYTES_MAX} are allowed in a request: publish it`;
      return refusedDefinition([faultAt(null, '', `the definition ${message}`)]);
    }
    const key = `${tenant_id}\n${text.digest}`;
    if (!this.compiled.has(key)) {
      const { faults } = await compileDefinition(text.definition, tenantTools(this.configuration.state, tenant_id));
      if (faults.length > 0) return refusedDefinition(faults.map((fault) => ({ ...fault, pointer: placeOf(fault.pointer) })));
      this.compiled.set(key, true);
    }
    return { ...text, published: null };
  }
}
