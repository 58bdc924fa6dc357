import type { CallError } from '@countersign/contracts';
import { inDoubt, type Recovery } from './result.js';
import type { ExecutionState } from './row.js';

/** A row of an epoch that is fenced, and what the log says of its call once it was read to its head. */
export interface Orphan {
  state: ExecutionState;
  /** The log has its tool_call_started: it may have fired. False: it never did, for a start is durable before any effect. */
  started: boolean;
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
  const { recovery } = orphan;
  if (recovery?.takes_key && orphan.now_ms < orphan.resend_before_ms) return { kind: 'resend' };
  // It fired at an unknown time after its start was on the log, but no later than now: its owner is dead or fenced.
  if (recovery?.has_reconcile) return { kind: 'reconcile', at_ms: orphan.now_ms + recovery.settle_ms };
  return { kind: 'in_doubt', error: inDoubt(null) };
}
