import type { CallError, Principal, VoteKind } from '@countersign/contracts';
import type { Limit } from '@countersign/policy';

/** A vote at another time, or another vote. `vote_id`: instead of this recorded one; absent: one more. */
export interface VoteChange {
  kind: 'vote';
  approval_id: string;
  vote_id?: string;
  voter: Principal;
  vote: Extract<VoteKind, 'approve' | 'deny'>;
  reason: string | null;
  /** Append time that it would have had, epoch ms. */
  at_ms: number;
}

/** Another bundle rules, at every position; null: none. */
export interface PolicyChange {
  kind: 'policy';
  bundle: { version: string; bundle_json: string; digest: string } | null;
}

/** Rows of a table that are others, at every position. */
export interface FactChange {
  kind: 'fact';
  table: string;
  set: Readonly<Record<string, unknown>>;
  removed: readonly string[];
}

/** A limit that is changed or removed (`limit.removed`), at every position. */
export interface LimitChange {
  kind: 'limit';
  limit: Limit;
}

/** What a tool would have answered. */
export interface ResultChange {
  kind: 'result';
  call_id: string;
  status: 'succeeded' | 'failed';
  output_json: string | null;
  error: CallError | null;
}

/** A call that would not have been made. */
export interface LeftOut {
  kind: 'left_out';
  call_id: string;
}

/** One thing that would have been otherwise. */
export type Change = VoteChange | PolicyChange | FactChange | LimitChange | ResultChange | LeftOut;

/** The changes of one kind. */
export function changesOf<K extends Change['kind']>(changes: readonly Change[], kind: K): Extract<Change, { kind: K }>[] {
  return changes.filter((change): change is Extract<Change, { kind: K }> => change.kind === kind);
}

/** Whether calls may be judged otherwise by themselves. */
export const changesRules = (changes: readonly Change[]): boolean =>
  changes.some(({ kind }) => kind === 'policy' || kind === 'fact' || kind === 'limit');
