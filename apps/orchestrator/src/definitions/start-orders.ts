import { canonicalText, type EventMap, type SourcePosition } from '@countersign/contracts';
import type { TenantRulings } from '@countersign/decisions';
import {
  type ConfigurationState,
  knownTool,
  latenciesOf,
  resolveVersion,
  type SagaDefinition,
  sagaDefinitionsOf,
  stepsOfDefinition,
  type TenantToolVersion,
  type ToolVersion,
  usesOf,
  withApproval,
} from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import type { SagaOrder } from '../sagas/saga-work.js';

/** Turns a request into the command that starts the saga, with the definition and the latencies of the tools as they are now. */
export class StartOrders {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly rulings: Pick<TenantRulings, 'allowsSagaApproval'>,
  ) {}

  /** @returns the command, or why the saga cannot start */
  of(request: EventMap['saga_requested'], source: SourcePosition): SagaOrder | string {
    const { meta, saga_id, case_id, definition_digest, inputs_json, by, authority, request_digest } = request;
    const definition_json = request.definition_json ?? this.published(request);
    if (definition_json === undefined)
      return `there is no version ${request.definition_version} of the saga definition ${request.definition}`;
    const own = JSON.parse(definition_json) as SagaDefinition;
    const used = usedVersions(this.configuration.state, meta.tenant_id, own);
    const definition = used.some(({ tool }) => this.allowsApproval(meta.tenant_id, tool)) ? withApproval(own) : own;
    const { deadline_ms } = definition;
    const deadline_at_ms = request.deadline_at_ms ?? (deadline_ms === undefined ? null : request.requested_at_ms + deadline_ms);
    const text = definition === own ? definition_json : canonicalText(definition);
    const what = { saga_id, case_id, definition, definition_digest, definition_json: text, inputs_json };
    const latencies = latenciesOf(definition, used.map(knownTool));
    return { kind: 'start', ...what, latencies, deadline_at_ms, by, authority, request_digest, source };
  }

  /** Whether the saga must find out, as its first step, if one approval may cover it. */
  private allowsApproval(tenant_id: string, { contract }: ToolVersion): boolean {
    return this.rulings.allowsSagaApproval(this.configuration.state, tenant_id, contract);
  }

  private published({ meta, definition, definition_version }: EventMap['saga_requested']): string | undefined {
    if (definition === null || definition_version === null) return undefined;
    return sagaDefinitionsOf(this.configuration.state, meta.tenant_id).get(definition)?.get(definition_version)?.definition_json;
  }
}

/** The version of each used tool that a call would get now. */
function usedVersions(state: ConfigurationState, tenant_id: string, definition: SagaDefinition): TenantToolVersion[] {
  return stepsOfDefinition(definition).flatMap((step) =>
    usesOf(step).flatMap(({ tool, version }) => {
      const found = resolveVersion(state, tenant_id, tool, version);
      return found.kind === 'found' ? [found] : [];
    }),
  );
}
