import { canonicalText, type EventMap, type SourcePosition, sha256Hex } from '@countersign/contracts';
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
  undoDefinition,
  usesOf,
} from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import type { SagaOrder } from '../sagas/saga-work.js';
import type { CompiledSagas } from './compiled-sagas.js';

/** Turns a request into the command that starts the saga, with the definition and the latencies of the tools as they are now. */
export class StartOrders {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly rulings: Pick<TenantRulings, 'allowsSagaApproval'>,
    private readonly compiled: CompiledSagas,
  ) {}

  /** @returns the command, or why the saga cannot start */
  of(request: EventMap['saga_requested'], source: SourcePosition): SagaOrder | string {
    if (request.undoes.length > 0) return undoOrder(request, source);
    const { definition_digest } = request;
    const { tenant_id } = request.meta;
    const definition_json = request.definition_json ?? this.published(request);
    if (definition_json === undefined)
      return `there is no version ${request.definition_version} of the saga definition ${request.definition}`;
    const own = this.compiled.ofText(tenant_id, definition_digest, definition_json);
    const used = usedVersions(this.configuration.state, tenant_id, own.definition);
    const asks = used.some(({ tool }) => this.allowsApproval(tenant_id, tool));
    const { deadline_ms } = own.definition;
    const compiled = asks ? this.compiled.asking(tenant_id, definition_digest, own) : own;
    return {
      kind: 'start',
      saga_id: request.saga_id,
      case_id: request.case_id,
      definition: compiled.definition,
      definition_digest,
      definition_json: asks ? compiled.json : definition_json,
      inputs_json: request.inputs_json,
      latencies: latenciesOf(own.definition, used.map(knownTool)),
      deadline_at_ms: request.deadline_at_ms ?? (deadline_ms === undefined ? null : request.requested_at_ms + deadline_ms),
      by: request.by,
      authority: request.authority,
      request_digest: request.request_digest,
      source,
    };
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

/** A saga that undoes earlier calls: the gateway chose them, and each undo is checked again before its call. */
function undoOrder(request: EventMap['saga_requested'], source: SourcePosition): SagaOrder {
  const { saga_id, case_id, inputs_json, by, authority, request_digest, undoes } = request;
  const definition = undoDefinition(undoes);
  const definition_json = canonicalText(definition);
  const what = { definition, definition_digest: sha256Hex(definition_json), definition_json, inputs_json, latencies: {}, undoes };
  return { kind: 'start', saga_id, case_id, ...what, deadline_at_ms: null, by, authority, request_digest, source };
}
