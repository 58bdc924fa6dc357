import { type EventMap, sha256Hex } from '@countersign/contracts';
import { compareSemver, parseSemver, type Semver } from '../../versions/semver.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import type { SagaDefinitions, SagaDefinitionVersion } from '../state/saga-definitions.js';

/** The first of a version counts: a published version never changes. */
export function setSagaDefinition(state: ConfigurationState, event: EventMap['saga_definition_set']): void {
  const part = tenantPart(state, event.meta.tenant_id);
  const { name, version, definition_json, by, published_at_ms } = event;
  const definitions: SagaDefinitions = part.saga_definitions ?? new Map();
  const versions = definitions.get(name) ?? new Map<string, SagaDefinitionVersion>();
  if (versions.has(version)) return;
  versions.set(version, { name, version, definition_json, digest: sha256Hex(definition_json), by, published_at_ms });
  part.saga_definitions = definitions.set(name, versions);
}

const NONE: ReadonlyMap<string, ReadonlyMap<string, SagaDefinitionVersion>> = new Map();

/** All saga definitions of a tenant: name → version → what was published. */
export function sagaDefinitionsOf(
  state: ConfigurationState,
  tenant_id: string,
): ReadonlyMap<string, ReadonlyMap<string, SagaDefinitionVersion>> {
  return state.by_tenant.get(tenant_id)?.saga_definitions ?? NONE;
}

/** The versions of one saga definition, newest first: releases by semver, then prereleases. Empty where there is no such name. */
export function sagaDefinitionVersions(state: ConfigurationState, tenant_id: string, name: string): SagaDefinitionVersion[] {
  const versions = [...(sagaDefinitionsOf(state, tenant_id).get(name)?.values() ?? [])];
  const parsed = versions.flatMap((published) => {
    const semver = parseSemver(published.version);
    return semver ? [{ published, semver }] : [];
  });
  return parsed.sort((a, b) => newestFirst(a.semver, b.semver)).map(({ published }) => published);
}

function newestFirst(a: Semver, b: Semver): number {
  const [left, right] = [a.prerelease !== '', b.prerelease !== ''];
  return left === right ? compareSemver(b, a) : Number(left) - Number(right);
}
