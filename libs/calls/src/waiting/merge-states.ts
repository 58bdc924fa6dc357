import type { ToolCall } from '@countersign/contracts';
import { type CallState, recordedFacts } from '@countersign/domain';

const newer = <T extends { revision: number }>(a: T | null, b: T | null): T | null => {
  if (!a || !b) return a ?? b;
  return b.revision > a.revision ? b : a;
};

/**
 * Uses the inputs of the gateway, because they may have been edited since the view was read, and the requester of the view: only the view
 * knows the first one.
 */
function callOf(own: ToolCall | null, viewed: ToolCall | null): ToolCall | null {
  if (!own || !viewed) return own ?? viewed;
  return { ...own, principal: viewed.principal, authority: viewed.authority };
}

/** A successful undo stays; of failed undos the newest counts. */
function compensationOf(a: CallState, b: CallState): Pick<CallState, 'compensation'> {
  const [one, other] = [a.compensation, b.compensation];
  const newest = one && other ? (one.offset > other.offset ? one : other) : (one ?? other);
  return newest ? { compensation: newest } : {};
}

function lateEffectIn(a: CallState, b: CallState): Pick<CallState, 'late_effect'> {
  const late_effect = a.late_effect ?? b.late_effect;
  return late_effect ? { late_effect } : {};
}

/**
 * Merges two states of one call: the gateway's own fold and the state from the view. Both come from the same log, so facts never
 * contradict, except the request: the gateway knows its own request, the view the first one on the log.
 */
export function mergeStates(a: CallState | undefined, b: CallState): CallState {
  if (!a) return b;
  return {
    ...a,
    attempt: Math.max(a.attempt, b.attempt),
    call: callOf(a.call, b.call),
    requested: b.requested ?? a.requested,
    ruling: newer(a.ruling, b.ruling),
    approval: newer(a.approval, b.approval),
    approval_end: newer(a.approval_end, b.approval_end),
    started: newer(a.started, b.started),
    doubt: a.doubt ?? b.doubt,
    end: a.end ?? b.end,
    ...compensationOf(a, b),
    ...lateEffectIn(a, b),
  };
}

/** True if two states of one call were folded from the same records. */
export function sameFacts(a: CallState, b: CallState): boolean {
  if (a.attempt !== b.attempt || (a.call === null) !== (b.call === null)) return false;
  return recordedFacts.every((fact) => a[fact]?.event_id === b[fact]?.event_id);
}
