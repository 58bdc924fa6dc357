import type { CallError } from '@countersign/contracts';
import { inDoubt, type Recovery } from './result.js';
import type { ExecutionState } from './row.js';

/** A row of a fenced epoch, and the facts of its call after the log was read to its head. */
export interface Orphan {
  state: ExecutionState;
  /** The log has tool_call_started, so the call may have fired. False: it never fired, because a start is durable before any effect. */
  started: boolean;
  /** The end is already on tool-executed. */
  ended: boolean;
  /** Null: this executor lacks the tool. */
  recovery: Recovery | null;
  /** No resend after this time, epoch ms: the system may have forgotten the key. */
  resend_before_ms: number;
  now_ms: number;
}

export type OrphanDecision =
  | { kind: 'fold_end' }
  /** The call never fired: its row is taken over, and it goes through the slot and the checks of a new ruling. */
  | { kind: 'fire' }
  | { kind: 'read_again' }
  | { kind: 'resend' }
  | { kind: 'reconcile'; at_ms: number }
  | { kind: 'in_doubt'; error: CallError };

/** Decides about a call whose owner lost its lease. Only a call that may have fired can be in doubt. */
export function afterTakeover(orphan: Orphan): OrphanDecision {
  if (orphan.ended) return { kind: 'fold_end' };
  if (orphan.state === 'reading') return { kind: 'read_again' };
  if (!orphan.started) return { kind: 'fire' };
  const { recovery } = orphan;
  if (recovery?.takes_key && orphan.now_ms < orphan.resend_before_ms) return { kind: 'resend' };
  // The call fired at an unknown time, but not after now: its owner is dead or fenced.
  if (recovery?.has_reconcile) return { kind: 'reconcile', at_ms: orphan.now_ms + recovery.settle_ms };
  return { kind: 'in_doubt', error: inDoubt(null) };
}
