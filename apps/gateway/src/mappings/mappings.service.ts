import { type Caller, noSuchTool, Refusal } from '@countersign/calls';
import type { Principal } from '@countersign/contracts';
import { ANY_TOOL, itemNames, type MappingVersion, mappingAt, mappingVersions, toolNames } from '@countersign/domain';
import type { MappingDefinition, MappingIssue } from '@countersign/mapping';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { activationProblem, activationReasons } from './mapping-activation.js';
import { definitionProblem, type MappingRequest } from './mapping-request.js';
import type { MappingVersionAnswer } from './mappings.schemas.js';

/** The definition of the next version; null: no mapping from then on. */
interface NextVersion {
  definition: object | null;
  rolled_back_to: number | null;
}

type PublishedMapping = WithHeaders<MappingVersionAnswer & { needs_activation: MappingIssue[] }>;

export const noSuchMapping = (): Refusal => new Refusal('not-found', 'this tool has no mapping', { reason: 'mapping_not_found' });
const nameOf = ({ kind, id }: Principal) => ({ kind, id });
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function answerOf({ changed_at_ms, by, in_force_from_ms, activated_by, ...rest }: MappingVersion): MappingVersionAnswer {
  return {
    ...rest,
    definition: rest.definition && { ...rest.definition },
    state: in_force_from_ms === null ? 'waits_for_activation' : 'activated',
    in_force_from: iso(in_force_from_ms),
    activated_by: activated_by && nameOf(activated_by),
    changed_by: nameOf(by),
    changed_at: new Date(changed_at_ms).toISOString(),
  };
}

/** Mappings between agents and the tenant's systems: a version history for each tool. */
@Injectable()
export class MappingsService {
  constructor(private readonly configuration: ConfigurationService) {}

  list(tenant_id: string, query: PageQuery): Page<MappingVersionAnswer & { etag: string }> {
    const tools = [...(this.configuration.state.by_tenant.get(tenant_id)?.mappings.keys() ?? [])];
    return pageOf(
      tools.flatMap((tool) => this.current(tenant_id, tool) ?? []),
      placeOf(query),
      ({ tool }) => tool,
      (mapping) => ({ ...answerOf(mapping), etag: this.etag(tenant_id, mapping.tool) }),
    );
  }

  read(tenant_id: string, tool: string): WithHeaders<MappingVersionAnswer & { in_force_version: number | null }> | Refusal {
    const mapping = this.current(tenant_id, tool);
    if (!mapping) return noSuchMapping();
    const in_force_version = mappingAt(this.configuration.state, tenant_id, tool, this.configuration.now_ms())?.version ?? null;
    return { body: { ...answerOf(mapping), in_force_version }, headers: { etag: this.etag(tenant_id, tool) } };
  }

  versions(tenant_id: string, tool: string): Page<MappingVersionAnswer> | Refusal {
    const versions = this.versionsOf(tenant_id, tool);
    return versions.length > 0 ? { items: versions.toReversed().map(answerOf), next_cursor: null } : noSuchMapping();
  }

  async publish(caller: Caller, tool: string, definition: MappingRequest, request: EditRequest): Promise<PublishedMapping | Refusal> {
    const next = () => this.unknown(caller.tenant_id, tool) ?? { definition, rolled_back_to: null };
    return definitionProblem(definition) ?? this.write(caller, tool, request, next);
  }

  async remove(caller: Caller, tool: string, request: EditRequest): Promise<Refusal | undefined> {
    const next = () => (this.current(caller.tenant_id, tool) ? { definition: null, rolled_back_to: null } : noSuchMapping());
    const removed = await this.write(caller, tool, request, next);
    return removed instanceof Refusal ? removed : undefined;
  }

  /** Publishes an earlier version again, as a new version. */
  async rollBack(caller: Caller, tool: string, version: number, request: EditRequest): Promise<PublishedMapping | Refusal> {
    const earlier = this.versionsOf(caller.tenant_id, tool).find((one) => one.version === version);
    if (!earlier) return new Refusal('not-found', `this mapping has no version ${version}`, { reason: 'mapping_version_not_found' });
    return this.write(caller, tool, request, () => ({ definition: earlier.definition, rolled_back_to: version }));
  }

  /** Activates a version that waits for a second person. */
  async activate(
    { tenant_id, principal: by }: Caller,
    tool: string,
    version: number,
    request: EditRequest,
  ): Promise<WithHeaders<MappingVersionAnswer> | Refusal> {
    const { state } = this.configuration;
    const draft = () =>
      activationProblem(state, tenant_id, this.versionsOf(tenant_id, tool), { version, by }) ?? {
        tool,
        version,
        by,
        changed_at_ms: this.configuration.now_ms(),
      };
    // Checked against the policy settings too: they decide whether one person may activate alone.
    const against = () => [itemNames.policy_settings];
    const item = itemNames.mapping(tool);
    const edited = await this.configuration.editEverywhere(request, { tenant_id, type: 'mapping_activated', item, against, draft });
    if (edited instanceof Refusal) return edited;
    const active = this.versionsOf(tenant_id, tool).find((one) => one.version === version);
    return active?.in_force_from_ms == null
      ? new Refusal('conflict', 'the mapping has changed: read it again', { reason: 'changed_concurrently' })
      : { body: answerOf(active), headers: { etag: edited.etag } };
  }

  /** Why a tool can have no mapping: the tenant has no such tool. */
  unknown(tenant_id: string, tool: string): Refusal | undefined {
    const { state } = this.configuration;
    return tool === ANY_TOOL || toolNames(state, tenant_id).includes(tool) ? undefined : noSuchTool(state, tenant_id, tool);
  }

  versionsOf(tenant_id: string, tool: string): readonly MappingVersion[] {
    return mappingVersions(this.configuration.state, tenant_id, tool);
  }

  /** Why a definition would need a second person. */
  reasonsFor(tenant_id: string, tool: string, definition: object | null): MappingIssue[] {
    return activationReasons(this.configuration.state, tenant_id, tool, definition as MappingDefinition | null);
  }

  private current(tenant_id: string, tool: string): MappingVersion | undefined {
    const newest = this.versionsOf(tenant_id, tool).at(-1);
    return newest && newest.definition !== null ? newest : undefined;
  }

  private etag(tenant_id: string, tool: string): string {
    return this.configuration.etag(tenant_id, itemNames.mapping(tool));
  }

  private async write(
    { tenant_id, principal: by }: Caller,
    tool: string,
    request: EditRequest,
    next: () => NextVersion | Refusal,
  ): Promise<PublishedMapping | Refusal> {
    const draft = (): ChangeFields<'mapping_set'> | Refusal => {
      const found = next();
      if (found instanceof Refusal) return found;
      const version = (this.versionsOf(tenant_id, tool).at(-1)?.version ?? 0) + 1;
      const definition_json = found.definition === null ? null : JSON.stringify(found.definition);
      const needs_activation = this.reasonsFor(tenant_id, tool, found.definition).length > 0;
      const changed_at_ms = this.configuration.now_ms();
      return { tool, version, definition_json, rolled_back_to: found.rolled_back_to, by, changed_at_ms, needs_activation };
    };
    // The active rules determine whether it needs a second person.
    const against = () => [itemNames.active_bundle];
    const item = itemNames.mapping(tool);
    const edited = await this.configuration.editEverywhere(request, { tenant_id, type: 'mapping_set', item, against, draft });
    if (edited instanceof Refusal) return edited;
    const written = this.versionsOf(tenant_id, tool).find(({ version }) => version === edited.fields.version);
    if (!written)
      return new Refusal('conflict', 'another request published this version number: retry', { reason: 'changed_concurrently' });
    const needs_activation = this.reasonsFor(tenant_id, tool, written.definition);
    return { body: { ...answerOf(written), needs_activation }, headers: { etag: edited.etag } };
  }
}
