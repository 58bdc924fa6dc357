import type { CallError, Principal, VoteKind } from '@countersign/contracts';
import type { Limit } from '@countersign/policy';

/** A vote at another time, or another vote. `vote_id`: the recorded vote that it replaces; absent: an additional vote. */
export interface VoteChange {
  kind: 'vote';
  approval_id: string;
  vote_id?: string;
  voter: Principal;
  vote: Extract<VoteKind, 'approve' | 'deny'>;
  reason: string | null;
  /** The hypothetical append time, epoch ms. */
  at_ms: number;
}

/** Another active bundle, at every position; null: none. */
export interface PolicyChange {
  kind: 'policy';
  bundle: { version: string; bundle_json: string; digest: string } | null;
}

/** Replaced rows of a fact table, at every position. */
export interface FactChange {
  kind: 'fact';
  table: string;
  set: Readonly<Record<string, unknown>>;
  removed: readonly string[];
}

/** A changed or removed (`limit.removed`) limit, at every position. */
export interface LimitChange {
  kind: 'limit';
  limit: Limit;
}

/** Another result of a call. */
export interface ResultChange {
  kind: 'result';
  call_id: string;
  status: 'succeeded' | 'failed';
  output_json: string | null;
  error: CallError | null;
}

/** A call that is not made. */
export interface LeftOut {
  kind: 'left_out';
  call_id: string;
}

/** One hypothetical change. */
export type Change = VoteChange | PolicyChange | FactChange | LimitChange | ResultChange | LeftOut;

/** The changes of one kind. */
export function changesOf<K extends Change['kind']>(changes: readonly Change[], kind: K): Extract<Change, { kind: K }>[] {
  return changes.filter((change): change is Extract<Change, { kind: K }> => change.kind === kind);
}

/** True if a change may alter the judgement of calls directly. */
export const changesRules = (changes: readonly Change[]): boolean =>
  changes.some(({ kind }) => kind === 'policy' || kind === 'fact' || kind === 'limit');
