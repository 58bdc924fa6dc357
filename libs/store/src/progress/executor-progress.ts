import type { Sql, Statement } from '../store.js';

/** How far an executor has read one input topic of a partition, and the first offset of tool-executed that is not folded into SQL yet. */
export interface ExecutorProgress {
  lane: string;
  partition: number;
  topic: string;
  /** Records below this offset are history and never fire. */
  history_below: number;
  /** Offset in the partition of tool-executed. */
  ends_from: number;
}

const SAVE = `INSERT INTO executor_progress AS p (lane, partition, topic, history_below, ends_from)
SELECT * FROM unnest($1::text[], $2::int2[], $3::text[], $4::int8[], $5::int8[])
ON CONFLICT (lane, partition, topic) DO UPDATE
SET history_below = greatest(p.history_below, excluded.history_below), ends_from = greatest(p.ends_from, excluded.ends_from)`;
const READ =
  'SELECT lane, partition, topic, history_below, ends_from FROM executor_progress WHERE lane = $1 AND partition = $2 ORDER BY topic';

const READ_ALL = 'SELECT lane, partition, topic, history_below, ends_from FROM executor_progress';
const CUT = `UPDATE executor_progress AS p
SET history_below = least(p.history_below, cut.history_below), ends_from = least(p.ends_from, cut.ends_from)
FROM unnest($1::text[], $2::int2[], $3::text[], $4::int8[], $5::int8[]) AS cut (lane, partition, topic, history_below, ends_from)
WHERE p.lane = cut.lane AND p.partition = cut.partition AND p.topic = cut.topic`;

const columns = (rows: readonly ExecutorProgress[]) => [
  rows.map(({ lane }) => lane),
  rows.map(({ partition }) => partition),
  rows.map(({ topic }) => topic),
  rows.map(({ history_below }) => history_below),
  rows.map(({ ends_from }) => ends_from),
];

/** Only moves forward: a late write of an earlier owner changes nothing. List each (lane, partition, topic) once. */
export function progressStatement(rows: readonly ExecutorProgress[]): Statement {
  return { name: 'progress_save', text: SAVE, params: columns(rows) };
}

/** Moves progress back to these offsets: of an embedded log, whose last records did not survive. Nothing may execute calls meanwhile. */
export function cutProgressStatement(rows: readonly ExecutorProgress[]): Statement {
  return { name: 'progress_cut', text: CUT, params: columns(rows) };
}

export async function readAllProgress(sql: Sql): Promise<ExecutorProgress[]> {
  return await sql.query<ExecutorProgress & Record<string, unknown>>({ name: 'progress_read_all', text: READ_ALL, params: [] });
}

export async function readProgress(sql: Sql, lane: string, partition: number): Promise<ExecutorProgress[]> {
  return await sql.query<ExecutorProgress & Record<string, unknown>>({ name: 'progress_read', text: READ, params: [lane, partition] });
}
