import { type CallError, type Deferral, type Outcome, type RulingExplanation, SEALED, type ToolCall } from '@countersign/contracts';
import { BEING_UNDONE, type CallState, type CallStatus, lateEffectOf, statusOf } from '@countersign/domain';
import { metadataOf } from '../request/own-reference.js';
import { type AnswerNotes, type DeduplicationJson, deduplicationJson, repeatWarning } from './deduplication.js';
import { mappingJson, mappingWarning } from './mapped-form.js';
import type { SeenCall } from './seen-by.js';
import { timeText } from './time-text.js';

const time = (ms: number | null | undefined): string | null => (ms === null || ms === undefined ? null : timeText(ms));

/** JSON form of a call error: `details` as JSON, not as text. */
function errorJson(error: CallError | null): Record<string, unknown> | null {
  if (!error) return null;
  const { details_json, ...rest } = error;
  return { ...rest, details: details_json === null ? null : JSON.parse(details_json) };
}

/** The message with its reason. An encrypted reason stays a separate value, so that it can be decrypted for readers. */
function messageWith(text: string, reason: string | null): Pick<CallError, 'message' | 'details_json'> {
  if (reason?.startsWith(SEALED)) return { message: text, details_json: JSON.stringify({ reason }) };
  return { message: reason ? `${text}: ${reason}` : text, details_json: null };
}

/** Denied, expired and cancelled calls have an error with a code. */
function errorOf(state: CallState, status: CallStatus): CallError | null {
  const outcome = outcomeOf(state);
  if (outcome) return outcome.error;
  const base = { details_json: null, retryable: false, retry_after_s: null };
  const end = state.approval_end;
  switch (status) {
    case 'denied':
      return end?.kind === 'denied' && end.revision >= (state.ruling?.revision ?? 0)
        ? { ...base, code: 'POLICY_DENIED', class: 'authorization', ...messageWith(`denied by ${end.by ?? 'an approver'}`, end.reason) }
        : (state.ruling?.reason ?? {
            ...base,
            code: 'POLICY_DENIED',
            class: 'authorization',
            message: `denied by rule ${state.ruling?.rule ?? 'unknown'}`,
          });
    case 'expired':
      return { ...base, code: 'TIMEOUT', class: 'transient', message: 'the approval was not decided in time', retryable: true };
    case 'cancelled':
      return {
        ...base,
        code: 'CANCELLED',
        class: 'semantic',
        ...messageWith(`cancelled by ${end?.by ?? 'an unknown principal'}`, end?.reason ?? null),
      };
    default:
      return null;
  }
}

function outcomeOf(state: CallState): Outcome | undefined {
  return (state.end ?? state.doubt)?.outcome;
}

/** When a call that never ran was refused, by the log's time, epoch ms. A grant is no refusal: then the time of the ruling counts. */
export function refusedAt({ approval_end, ruling }: CallState): number | null {
  return (approval_end && approval_end.kind !== 'granted' ? approval_end.at_ms : ruling?.decided_at_ms) ?? null;
}

/** When the call ended, by the record, epoch ms; null if it has not ended. */
function endedAt(state: CallState, status: CallStatus): number | null {
  const outcome = outcomeOf(state);
  if (outcome) return outcome.ended_at_ms;
  return status === 'denied' || status === 'expired' || status === 'cancelled' ? refusedAt(state) : null;
}

export const approvalLink = (approvalId: string): string => `/v1/approvals/${approvalId}`;

function approvalJson(state: CallState): Record<string, unknown> | null {
  const { approval, approval_end, ruling } = state;
  const approvalId = approval?.approval_id ?? ruling?.approval_id ?? null;
  if (approvalId === null) return null;
  const ended = approval_end && approval_end.revision >= (ruling?.revision ?? 0) ? approval_end : null;
  return {
    approval_id: approvalId,
    link: approvalLink(approvalId),
    status: ended ? ended.kind : 'pending',
    requested_at: time(approval?.requested_at_ms),
    expires_at: time(approval?.expires_at_ms),
    quorum: approval?.quorum ?? null,
    approver_roles: approval?.approver_roles ?? [],
    decided_by: ended?.by ?? null,
    decided_at: time(ended?.at_ms),
    reason: ended?.reason ?? null,
  };
}

function deferralJson({ wake_at_ms, timeout_at_ms, ...rest }: Deferral): Record<string, unknown> {
  return { ...rest, wake_at: time(wake_at_ms), timeout_at: time(timeout_at_ms) };
}

/** The ruling and its reasons: rules, tables and obligations. */
function decisionJson({ ruling, call }: CallState): Record<string, unknown> | null {
  if (!ruling) return null;
  const { explanation, defer } = ruling;
  return {
    decision_id: ruling.decision_id,
    revision: ruling.revision,
    effect: ruling.effect,
    tier: ruling.tier,
    approval_mode_effective: ruling.approval_mode_effective,
    rule: ruling.rule,
    bundle_version: ruling.bundle_version,
    inputs_digest: call?.inputs_digest ?? null,
    bundle_digest: explanation?.bundle_digest,
    rules_matched: explanation?.matched,
    rules_would_have: explanation?.would_have,
    rule_errors: explanation?.errors,
    facts: explanation?.facts,
    history: explanation?.history_json == null ? undefined : (JSON.parse(explanation.history_json) as unknown),
    tags: explanation && tagsOf(explanation),
    obligations: explanation?.obligations,
    shadow: explanation?.shadow,
    defer: defer ? deferralJson(defer) : undefined,
  };
}

const tagsOf = ({ obligations }: RulingExplanation): string[] =>
  obligations.flatMap(({ kind, tag }) => (kind === 'tag' && tag !== null ? [tag] : []));

function warningsOf(state: CallState, json: DeduplicationJson): string[] {
  const warnings = outcomeOf(state)?.warnings ?? [];
  const extra = [repeatWarning(state, json), mappingWarning(state)].filter((warning) => warning !== undefined);
  return extra.length === 0 ? warnings : [...warnings, ...extra];
}

function withReported(warnings: string[], extra: readonly string[]): string[] {
  const news = extra.filter((warning) => !warnings.includes(warning));
  return news.length === 0 ? warnings : [...warnings, ...news];
}

/** Findings of the checks: in the error of a refused call, beside the output of a call that passed with warnings. */
function validationJson(error: Record<string, unknown> | null, outcome: Outcome | undefined): Record<string, unknown> | null {
  const remarks = outcome?.extras?.validation_json;
  if (remarks) return JSON.parse(remarks) as Record<string, unknown>;
  if (error?.code !== 'VALIDATION_ERROR') return null;
  const details = error.details as { layer?: unknown; issues?: unknown } | null;
  return { layer: details?.layer ?? 'semantic', issues: Array.isArray(details?.issues) ? details.issues : [] };
}

/** Provenance of the result: what its tool reports, else the tool and the time of its answer. */
function provenanceJson(call: ToolCall | null, outcome: Outcome | undefined): Record<string, unknown> | null {
  if (outcome?.status !== 'succeeded' || !call) return null;
  const { source, as_of_ms, confidence } = outcome.extras?.provenance ?? {
    source: `${call.tool}@${call.version}`,
    as_of_ms: outcome.ended_at_ms,
    confidence: null,
  };
  return { source, freshness: time(as_of_ms), confidence: stepConfidence(call, confidence) };
}

/** A fallback level of a step lowers the confidence in its answer. */
function stepConfidence({ saga }: ToolCall, reported: number | null): number | null {
  if (!saga) return reported;
  return reported === null ? saga.confidence : reported * saga.confidence_share;
}

/** The step of a saga that made the call. */
function sagaJson(call: ToolCall | null): Record<string, unknown> | null {
  if (!call?.saga) return null;
  const { saga_id, step_id, level, attempt } = call.saga;
  return { saga_id, step_id, level, attempt };
}

const named = (who: { kind: string; id: string } | null | undefined) => (who ? { kind: who.kind, id: who.id } : null);

/** The members of an envelope: computed values, and texts copied from the record. */
export interface EnvelopeMembers {
  /** Undefined: the envelope omits the member. */
  made: Record<string, unknown>;
  /** Member → JSON text. */
  recorded: Record<string, string>;
}

/** The inputs have two names: `inputs` as in requests, `input` as in the source documents. */
function recordedMembers({ call }: SeenCall, outcome: Outcome | undefined): Record<string, string> {
  const inputs = call?.inputs_json ?? 'null';
  const output = outcome?.output_json ?? 'null';
  return call?.mapped ? { inputs, input: inputs, mapped_input: call.mapped.inputs_json, output } : { inputs, input: inputs, output };
}

/** Lists each member in one literal: object spread costs more than building all the values. */
export function envelopeMembers(state: SeenCall, notes: AnswerNotes = {}): EnvelopeMembers {
  const status = statusOf(state);
  const [call, outcome] = [state.call, outcomeOf(state)];
  const [authority, extras] = [call?.authority, outcome?.extras];
  const deduplication = deduplicationJson(state, notes);
  const error = errorJson(errorOf(state, status));
  const requestedMs = state.requested?.at_ms ?? call?.requested_at_ms ?? null;
  const startedMs = outcome?.started_at_ms ?? state.started?.fired_at_ms ?? requestedMs;
  const endMs = endedAt(state, status);
  const [started_at, ended_at] = [time(startedMs), time(endMs)];
  const tool = call?.tool ?? null;
  const made = {
    call_id: state.call_id,
    idempotency_key: call?.idempotency_key ?? null,
    tool,
    name: tool,
    version: call?.version ?? null,
    tenant_id: state.tenant_id,
    case_id: call?.case_id ?? null,
    run_id: call?.run_id ?? null,
    external_id: call?.external_id ?? null,
    metadata: metadataOf(call?.metadata_json),
    status,
    error,
    decision: decisionJson(state),
    approval: approvalJson(state),
    requested_at: time(requestedMs),
    started_at,
    ended_at,
    t_start: started_at,
    t_end: ended_at,
    duration_ms: outcome?.duration_ms ?? (endMs !== null && startedMs !== null ? Math.max(0, endMs - startedMs) : null),
    attempts: Math.max(1, state.attempt),
    retry_count: outcome?.retry_count ?? 0,
    effect: (lateEffectOf(state)?.outcome ?? outcome)?.effect ?? null,
    cached: extras?.cached ?? false,
    deduplicated: deduplication.deduplicated,
    deduplicated_because: deduplication.deduplicated_because,
    original_call_id: deduplication.original_call_id,
    effect_now: deduplication.effect_now,
    superseded_by: deduplication.superseded_by,
    truncated: outcome?.truncated ?? false,
    attachments: outcome?.attachments ?? [],
    warnings: withReported(warningsOf(state, deduplication), notes.warnings ?? []),
    validation: validationJson(error, outcome),
    exceptions: [],
    provenance: provenanceJson(call, outcome),
    citations: [],
    mutations: [],
    verified: extras?.verified ?? null,
    principal: named(call?.principal),
    on_behalf_of: named(authority?.on_behalf_of),
    agent_token_ref: authority?.agent_token_ref ?? null,
    delegated_user_token_ref: authority?.delegated_user_token_ref ?? null,
    purpose: call?.context.purpose ?? null,
    sources: authority?.sources ?? [],
    markings: authority?.markings ?? [],
    withheld: state.withheld,
    credentials: extras?.credentials ?? [],
    trace_id: state.correlation_id,
    cost: extras?.cost ?? null,
    mapping_version: (outcome ? extras?.mapping_version : call?.mapped?.mapping_version) ?? null,
    mapping: mappingJson(call).mapping,
    saga: sagaJson(call),
    tool_fallback_level: call?.saga?.level ?? 0,
    compensates: call?.compensates?.call_id ?? null,
    compensated_by: state.compensation?.call_id ?? null,
  };
  return { made, recorded: recordedMembers(state, outcome) };
}

/** The call's envelope (`Envelope` of /openapi.json) as JSON text. JSON texts of the record are inserted unchanged. */
export function envelopeText(state: SeenCall, notes: AnswerNotes = {}): string {
  const { made, recorded } = envelopeMembers(state, notes);
  let text = JSON.stringify(made).slice(0, -1);
  for (const name in recorded) text += `,"${name}":${recorded[name]}`;
  return `${text}}`;
}

/** True if the header key of the call was used before with other inputs: HTTP 422. */
export function isKeyReuse(state: CallState): boolean {
  if (state.call?.key_source !== 'header') return false;
  const error = outcomeOf(state)?.error ?? (state.ruling?.effect === 'deny' ? state.ruling.reason : null);
  return error?.code === 'VALIDATION_ERROR' && (error.details_json ?? '').includes('idempotency_key_reused');
}

/** True if policy refused the call because the effect of an equal call is being undone: HTTP 409. */
export function isBeingUndone({ ruling, end }: CallState): boolean {
  return !end && ruling?.effect === 'deny' && (ruling.reason?.details_json ?? '').includes(BEING_UNDONE);
}

/** The envelope as a value, for transports that show parts of it. */
export function callJson(state: SeenCall): Record<string, unknown> {
  return JSON.parse(envelopeText(state)) as Record<string, unknown>;
}
