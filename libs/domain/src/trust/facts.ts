import { type EventMap, isReadOnly, type Outcome, type PrincipalKind } from '@countersign/contracts';
import type { CallState, EndFact, Position } from '../call/state.js';
import { announcedContract } from '../registry/announced-contract.js';
import { passes, readEvaluation } from '../registry/record.js';
import type { RegisteredFact, RunCounts } from './state.js';

/** The provider of tools whose contract names none. */
export const LOCAL_PROVIDER = 'local';

/** A fact about a call that affects trust, with the position of its record. */
export interface CallFact {
  tenant_id: string;
  tool: string;
  version: string;
  principal: { kind: PrincipalKind; id: string };
  at: Position;
  at_ms: number;
}

/** `run`: the tool ran. `asked`: people decided an approval; `granted` has the decision. */
export type TrustObservation = CallFact & ({ fact: 'run'; counts: RunCounts } | { fact: 'asked'; granted: boolean });

const REFUSALS = ['VALIDATION_ERROR', 'POLICY_DENIED', 'CANCELLED'];

/**
 * True if a run was fired. A write has a start record, and newer records of failed reads have a field for it. For an older record of a read
 * only the duration is known: a refusal has none, but neither have many failures.
 */
function fired(state: CallState, { outcome }: EndFact): boolean {
  if (outcome.extras?.cached || !['succeeded', 'failed', 'in_doubt'].includes(outcome.status)) return false;
  if (!state.call || !isReadOnly(state.call.effect_class)) return state.started !== null;
  const { status, duration_ms, error, extras } = outcome;
  if (status === 'failed' && typeof extras?.ran === 'boolean') return extras.ran;
  return !(status === 'failed' && duration_ms === 0 && error !== null && REFUSALS.includes(error.code));
}

function fitsSchema({ status, extras }: Outcome): boolean {
  return status === 'succeeded' && !extras?.validation_json?.includes('"layer":"output"');
}

/** The counts that one run adds. A run in doubt counts as neither succeeded nor valid nor timely, even after its resolution. */
function countsOf(outcome: Outcome): RunCounts {
  const { status, error, extras } = outcome;
  const succeeded = status === 'succeeded';
  const late = status === 'in_doubt' || error?.code === 'TIMEOUT' || extras?.late === true;
  return {
    runs: 1,
    succeeded: Number(succeeded),
    verified: Number(succeeded && extras?.verified === true),
    valid: Number(fitsSchema(outcome)),
    timely: Number(!late),
    sound: Number(error?.code !== 'VALIDATION_ERROR'),
  };
}

const runEnd = (state: CallState | undefined): EndFact | null => state?.doubt ?? state?.end ?? null;

function calledBy({ tenant_id, call }: CallState, at: Position, at_ms: number): CallFact | undefined {
  if (!call) return undefined;
  const { tool, version, principal } = call;
  return { tenant_id, tool, version, principal: { kind: principal.kind, id: principal.id }, at, at_ms };
}

function runOf(state: CallState | undefined): TrustObservation | undefined {
  const end = runEnd(state);
  if (!state || !end || end.kind === 'deduplicated' || !fired(state, end)) return undefined;
  const who = calledBy(state, end.position, end.at_ms);
  return who && { ...who, fact: 'run', counts: countsOf(end.outcome) };
}

function decisionOf(state: CallState | undefined, topic: string): TrustObservation | undefined {
  const end = state?.approval_end;
  if (!state || !end || (end.kind !== 'granted' && end.kind !== 'denied')) return undefined;
  const who = calledBy(state, { topic, partition: state.partition, offset: end.offset }, end.at_ms);
  return who && { ...who, fact: 'asked', granted: end.kind === 'granted' };
}

/**
 * The trust facts that a change of a call's state adds: the run of a call once, and its decision by people once, as soon as all needed
 * facts are known, in whatever order the topics were read. `approval_topic`: approval-granted of the call's lane.
 */
export function trustObservations(
  before: CallState | undefined,
  after: CallState | undefined,
  approval_topic: string,
): readonly TrustObservation[] {
  if (!after || after === before) return NONE;
  const known = before?.call != null;
  const found: TrustObservation[] = [];
  if (runEnd(after) && !(known && runEnd(before))) add(found, runOf(after));
  const { approval_end } = after;
  if (approval_end && !(known && before?.approval_end?.event_id === approval_end.event_id)) add(found, decisionOf(after, approval_topic));
  return found;
}

const NONE: readonly TrustObservation[] = [];

function add(found: TrustObservation[], one: TrustObservation | undefined): void {
  if (one) found.push(one);
}

/** The facts of a registration; undefined if its contract is unreadable. The time of an evaluation is capped at the time of the record. */
export function registeredFact(event: EventMap['tool_registered'], at_ms: number): RegisteredFact | undefined {
  const read = announcedContract(event);
  if (!read) return undefined;
  const { digest } = read;
  const { name, version, provider = LOCAL_PROVIDER, audit_status = 0, sla, has_verify = false } = read.contract;
  const evaluation = readEvaluation(event.evaluation_json);
  const passed = evaluation && passes(evaluation, { name, version, digest }) ? Date.parse(evaluation.verified_at) : Number.NaN;
  const evaluated_at_ms = Number.isFinite(passed) ? Math.min(passed, at_ms) : null;
  return { provider, digest, audit_status, declares_sla: sla !== undefined, reads_back: has_verify, evaluated_at_ms };
}
