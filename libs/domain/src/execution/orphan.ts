import type { CallError } from '@countersign/contracts';
import { inDoubt, type Recovery } from './result.js';
import type { ExecutionState } from './row.js';

/** A row of an epoch that is fenced, and what the log says of its call once it was read to its head. */
export interface Orphan {
  state: ExecutionState;
  /** The newest tool_call_started of the call; null: it never fired (a start is durable before any effect). */
  started: { fired_at_ms: number; settle_at_ms: number } | null;
  /** tool-executed has its end already. */
  ended: boolean;
  /** Null: this executor does not have the tool. */
  recovery: Recovery | null;
  /** Not sent again after this: its system may have forgotten the key. Epoch ms. */
  resend_before_ms: number;
  now_ms: number;
}

export type OrphanDecision =
  | { kind: 'fold_end' }
  /** It never fired: its slot and checks are as for a new ruling, its row is taken over. */
  | { kind: 'fire' }
  | { kind: 'read_again' }
  | { kind: 'resend' }
  | { kind: 'reconcile'; at_ms: number }
  | { kind: 'in_doubt'; error: CallError };

/** What to do with a call whose owner lost its lease. Only a call that may have fired can be in doubt. */
export function afterTakeover(orphan: Orphan): OrphanDecision {
  if (orphan.ended) return { kind: 'fold_end' };
  if (orphan.state === 'reading') return { kind: 'read_again' };
  if (!orphan.started) return { kind: 'fire' };
  const { recovery, started } = orphan;
  if (recovery?.takes_key && orphan.now_ms < orphan.resend_before_ms) return { kind: 'resend' };
  if (recovery?.has_reconcile) {
    const wait_ms = Math.min(Math.max(0, started.settle_at_ms - orphan.now_ms), recovery.settle_ms);
    return { kind: 'reconcile', at_ms: orphan.now_ms + wait_ms };
  }
  return { kind: 'in_doubt', error: inDoubt(null) };
}
