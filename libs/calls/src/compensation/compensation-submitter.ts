import { laneTopic, NO_CONTEXT, nextHlc, type ToolCall, uuidv7 } from '@countersign/contracts';
import { catalogued, type ToolVersion, tenantOf } from '@countersign/domain';
import type { Configuration, TenantKeys } from '@countersign/process';
import type { RecordGuard } from '../admission/record-guard.js';
import { UNDO_DEADLINE_MS, undoIdentity } from '../identity/undo-identity.js';
import type { CallSealer } from '../personal/call-sealer.js';
import { Refusal } from '../refusal.js';
import type { AdmittedCall } from '../request/admitted-call.js';
import type { CallRequest } from '../request/call-request.js';
import type { CallSink } from '../submitting/answer-writer.js';
import type { CallSubmitter } from '../submitting/call-submitter.js';
import { authorityFor, type Submission } from '../submitting/submission.js';
import { type EffectToUndo } from './effect-of-call.js';
import { undoFaultOf } from './undo-fault.js';

/** The request to undo an effect. */
export interface CompensationRequest {
  /** The reason, as text. */
  reason?: string | undefined;
  /** The caller's own id of this request: the same id means the same call. */
  request_id?: string | undefined;
  /** The tool that undoes the effect, with its own inputs, if the tool of the effect cannot. */
  by?: Pick<CallRequest, 'tool' | 'version' | 'inputs'>;
}

/** Submits undos of recorded effects as ordinary calls: they are judged, approved, claimed and recorded. */
export class CompensationSubmitter {
  constructor(
    private readonly configuration: Configuration,
    private readonly calls: CallSubmitter,
    private readonly keys: TenantKeys,
    private readonly parts: { sealer: CallSealer; record: Pick<RecordGuard, 'refusal'>; now_ms: () => number },
  ) {}

  /** The sink receives the end, a pending approval, or the end of the wait. Rejects if a store is unavailable. */
  async submit(undone: EffectToUndo, request: CompensationRequest, by: Submission, sink: CallSink): Promise<void> {
    if (request.by) return this.submitOther(undone, request, request.by, by, sink);
    const admitted = await this.admit(undone, request, by);
    if (admitted instanceof Refusal) return sink.refused(admitted);
    return this.calls.submitAdmitted(admitted, by, sink);
  }

  /** Another tool undoes the effect: its call is validated, mapped and encrypted like any call. */
  private async submitOther(
    { state, effect }: EffectToUndo,
    { request_id }: CompensationRequest,
    other: NonNullable<CompensationRequest['by']>,
    by: Submission,
    sink: CallSink,
  ): Promise<void> {
    const { case_id } = state.call as ToolCall;
    const request: CallRequest = {
      ...other,
      ...(case_id === null ? {} : { case_id }),
      deadline: new Date(this.deadlineMs()).toISOString(),
    };
    await this.calls.submit(request, { ...by, undoes: { effect, request_id } }, sink);
  }

  private deadlineMs(): number {
    return this.parts.now_ms() + UNDO_DEADLINE_MS;
  }

  private async admit(undone: EffectToUndo, request: CompensationRequest, by: Submission): Promise<AdmittedCall | Refusal> {
    const { tenant_id } = by.caller;
    const { state } = undone;
    const call = state.call as ToolCall;
    const tenant = tenantOf(this.configuration.state, tenant_id);
    if (!tenant || state.tenant_id !== tenant_id)
      return new Refusal('forbidden', 'the tenant does not exist', { reason: 'tenant_unknown' });
    const tool = catalogued(this.configuration.state, tenant_id, call.tool, call.version);
    if (!tool) return new Refusal('not-undoable', `no executor runs ${call.tool} ${call.version}`, { reason: 'tool_not_available' });
    const refusal = this.parts.record.refusal(tenant_id) ?? undoFaultOf(tool, state, this.parts.now_ms());
    if (refusal) return refusal;
    const rationale = await this.parts.sealer.text(tenant_id, call, request.reason ?? null);
    if (rationale instanceof Refusal) return rationale;
    return this.completed(undone, tool, { by, rationale, request_id: request.request_id });
  }

  private completed(
    { state, effect }: EffectToUndo,
    tool: ToolVersion,
    { by, rationale, request_id }: { by: Submission; rationale: string | null; request_id: string | undefined },
  ): AdmittedCall {
    const { tenant_id, principal } = by.caller;
    const of = state.call as ToolCall;
    const now_ms = this.parts.now_ms();
    const tenant = tenantOf(this.configuration.state, tenant_id) as AdmittedCall['tenant'];
    const terms = { tenant_id, principal_id: principal.id, request_id, tenant_key: this.keys.tenantKey(tenant_id) };
    const { call_id, partition, ...identity } = undoIdentity(effect, { ...terms, fresh_uuid: uuidv7(now_ms) });
    const derived_from = { call_ids: [state.call_id], markings: of.authority?.markings ?? [] };
    const call: ToolCall = {
      ...of,
      ...identity,
      contract_digest: tool.digest,
      occurrence: null,
      principal,
      context: { ...NO_CONTEXT, rationale },
      deadline_ms: this.deadlineMs(),
      callback_url: null,
      requested_at_ms: now_ms,
      lane: tenant.lane,
      authority: authorityFor({ ...by, derived_from }, undefined) ?? null,
      external_id: null,
      metadata_json: null,
      compensates: effect,
    };
    const at = {
      attempt: 0,
      causation_id: null,
      correlation_id: state.correlation_id,
      hlc: nextHlc(now_ms, state.end?.hlc ?? 0),
      partition,
    };
    return {
      topic: laneTopic('tool-call-requested', tenant.lane),
      meta: { event_id: uuidv7(now_ms), tenant_id, call_id, ...at },
      call,
      tenant,
      personal: [],
      deprecation: undefined,
      numbered: request_id !== undefined,
      refusal_if_new: undefined,
    };
  }
}
