import type { Sql, Statement } from '../store.js';
import type { EndState, ExecutionKey } from './execution-row.js';

/** An end that stands on the log. */
export interface LoggedEnd extends ExecutionKey {
  call_uuid: string;
  state: EndState;
  /** Offset in the partition of tool-executed. */
  end_offset: number;
  ended_at_s: number;
}

const FOLD = `UPDATE tool_executions t SET state = i.state, end_offset = i.end_offset, ended_at_s = i.ended_at_s
FROM unnest($1::uuid[], $2::int2[], $3::uuid[], $4::int2[], $5::int8[], $6::int4[]) AS i(key, attempt, call_uuid, state, end_offset, ended_at_s)
WHERE t.key = i.key AND t.attempt = i.attempt AND t.call_uuid = i.call_uuid
  AND (t.end_offset IS NULL OR (t.state = 3 AND t.end_offset < i.end_offset))`;

/**
 * Folds ends that are on the log into their rows: no lease is asked for, because the log has decided already. The first
 * end of a row stays, but for one that resolves a doubt.
 */
export function foldEndsStatement(ends: readonly LoggedEnd[]): Statement {
  return {
    name: 'fold_ends',
    text: FOLD,
    params: [
      ends.map((end) => end.key),
      ends.map((end) => end.attempt),
      ends.map((end) => end.call_uuid),
      ends.map((end) => end.state),
      ends.map((end) => end.end_offset),
      ends.map((end) => end.ended_at_s),
    ],
  };
}

/** The rows of a call that is in doubt: two where it claimed a second key. Rows in doubt are few: an index of their own keeps this cheap. */
export async function doubtsOfCall(sql: Sql, call_uuid: string): Promise<ExecutionKey[]> {
  const text = 'SELECT key, attempt FROM tool_executions WHERE call_uuid = $1 AND state = 3';
  return await sql.query<ExecutionKey & Record<string, unknown>>({ name: 'doubt_of_call', text, params: [call_uuid] });
}

/** Puts digests back into refolded rows (0: not known). */
export async function foldDigests(sql: Sql, digests: readonly { key: string; call_uuid: string; digest8: number }[]): Promise<void> {
  if (digests.length === 0) return;
  const text = `UPDATE tool_executions t SET digest8 = i.digest8 FROM unnest($1::uuid[], $2::uuid[], $3::int8[]) AS i(key, call_uuid, digest8)
WHERE t.key = i.key AND t.call_uuid = i.call_uuid AND t.digest8 = 0`;
  const params = [digests.map((each) => each.key), digests.map((each) => each.call_uuid), digests.map((each) => each.digest8)];
  await sql.query({ name: 'fold_digests', text, params });
}
