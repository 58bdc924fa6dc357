import type { Sql, Statement } from '../store.js';

/** The name of the one set of views that the projector folds; projection_offsets has its offsets under this name. */
export const VIEWS = 'views';

/** How far a projection has folded one partition: everything below `next_offset`, up to `hlc`. */
export interface ProjectionOffset {
  topic: string;
  partition: number;
  next_offset: number;
  hlc: number;
}

/** The position of a record that must be folded before a read. */
export interface LogPosition {
  topic: string;
  partition: number;
  offset: number;
}

/** How far the projection has folded; partitions that it never read are missing. */
export function projectionPosition(sql: Sql, projection: string = VIEWS): Promise<ProjectionOffset[]> {
  return sql.query<ProjectionOffset & Record<string, unknown>>({
    name: 'views_projection_position',
    text: 'SELECT topic, partition, next_offset, hlc FROM projection_offsets WHERE projection = $1 ORDER BY topic, partition',
    params: [projection],
  });
}

/** Whether the projection has folded every one of these records. */
export function hasPassed(folded: readonly ProjectionOffset[], wanted: readonly LogPosition[]): boolean {
  const next = new Map(folded.map((row) => [`${row.topic}/${row.partition}`, row.next_offset]));
  return wanted.every((position) => (next.get(`${position.topic}/${position.partition}`) ?? 0) > position.offset);
}

const POLL_MS = 15;

/** Polls until the projection has folded these records; false if that takes longer than `timeout_ms`. */
export async function waitForPosition(
  sql: Sql,
  wanted: readonly LogPosition[],
  timeout_ms: number,
  projection: string = VIEWS,
): Promise<boolean> {
  for (const until = performance.now() + timeout_ms; ; ) {
    if (hasPassed(await projectionPosition(sql, projection), wanted)) return true;
    if (performance.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** SQLSTATE of a write that was sent again although it had been written: the logarithm of zero, provoked by `notWritten`. */
export const WRITTEN_BEFORE = '2201E';

/**
 * Before the rows of a write that is sent again, because its answer was lost: fails the whole transaction if the offsets have reached those of
 * the write. A statement of its own, so that it sees what was committed while the statement before waited for its lock.
 */
export function notWritten(rows: readonly ProjectionOffset[], projection: string = VIEWS): Statement {
  return {
    name: 'views_not_written',
    text: `SELECT ln(CASE WHEN count(*) = cardinality($2::text[]) THEN 0::float8 ELSE 1::float8 END) AS not_written
           FROM projection_offsets o JOIN unnest($2::text[], $3::int2[], $4::int8[]) AS w(topic, partition, next_offset) USING (topic, partition)
           WHERE o.projection = $1 AND o.next_offset >= w.next_offset`,
    params: [projection, rows.map((row) => row.topic), rows.map((row) => row.partition), rows.map((row) => row.next_offset)],
  };
}

/** At most one row for each partition in one statement. */
export function storeOffsets(rows: readonly ProjectionOffset[], projection: string = VIEWS): Statement {
  return {
    name: 'views_store_offsets',
    text: `INSERT INTO projection_offsets (projection, topic, partition, next_offset, hlc)
           SELECT $1, * FROM unnest($2::text[], $3::int2[], $4::int8[], $5::int8[])
           ON CONFLICT (projection, topic, partition) DO UPDATE SET next_offset = excluded.next_offset, hlc = excluded.hlc`,
    params: [
      projection,
      rows.map((row) => row.topic),
      rows.map((row) => row.partition),
      rows.map((row) => row.next_offset),
      rows.map((row) => row.hlc),
    ],
  };
}
