import type { EffectEvidence, OutcomeStatus, Resolution } from '@countersign/contracts';
import type { ExecutionState } from './row.js';

/** The state of a row after the end of its call on the log. */
export function stateAfter(outcome: { status: OutcomeStatus; effect: EffectEvidence }): ExecutionState {
  if (outcome.status === 'succeeded') return 'succeeded';
  if (outcome.status === 'in_doubt') return 'in_doubt';
  if (outcome.effect === 'none') return 'released';
  return outcome.effect === 'happened' ? 'failed_with_effect' : 'in_doubt';
}

export type LateEnd = { kind: 'end' } | { kind: 'resolve' } | { kind: 'nothing' };

/**
 * The meaning of a `tool_executed` for the row of its call. It ends a running row, unless a later epoch has started the call again; then it
 * is evidence, which only resolves a doubt. The same rule as in `evolve` of a call.
 */
export function lateEnd(call: { state: ExecutionState; started_epoch: number | null }, event: { epoch: number }): LateEnd {
  if (call.state === 'in_doubt') return { kind: 'resolve' };
  if (call.state !== 'running' && call.state !== 'reading') return { kind: 'nothing' };
  return call.started_epoch !== null && event.epoch < call.started_epoch ? { kind: 'nothing' } : { kind: 'end' };
}

/** The meaning of a result that arrives after its run was abandoned (a timeout), by the state of the call. */
export function lateResult(call: 'settling' | 'in_doubt' | 'ended'): 'end' | 'resolve' | 'nothing' {
  if (call === 'settling') return 'end';
  return call === 'in_doubt' ? 'resolve' : 'nothing';
}

/** A person's recorded decision counts only while the call is in doubt. */
export function afterResolution(state: ExecutionState | null, resolution: Resolution): 'succeeded' | 'failed' | 'ignore' {
  if (state !== 'in_doubt') return 'ignore';
  return resolution === 'happened' ? 'succeeded' : 'failed';
}
