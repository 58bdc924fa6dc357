import type { Sql } from '../store.js';
import { type CounterRow, type ReservationRow, reservationState } from './counters.js';

/** The counters of a limit after a key, in key order. */
export async function readCounters(
  sql: Sql,
  of: { tenant_id: string; limit_id: string; after: string; limit: number },
): Promise<CounterRow[]> {
  const text = `SELECT key, tenant_id, limit_id, subject, per, slots FROM limit_counters
WHERE tenant_id = $1 AND limit_id = $2 AND key > $3 ORDER BY key LIMIT $4`;
  const params = [of.tenant_id, of.limit_id, of.after, of.limit];
  return await sql.query<CounterRow & Record<string, unknown>>({ name: 'limit_counters_read', text, params });
}

/** The existing counters of these keys. */
export async function countersOf(sql: Sql, keys: readonly string[]): Promise<CounterRow[]> {
  const text = 'SELECT key, tenant_id, limit_id, subject, per, slots FROM limit_counters WHERE key = ANY($1::text[])';
  return await sql.query<CounterRow & Record<string, unknown>>({ name: 'limit_counters_of', text, params: [keys] });
}

/** The reservations of a partition's calls that are not released. */
export async function heldReservations(sql: Sql, lane: string, partition: number): Promise<ReservationRow[]> {
  const text = `SELECT call_uuid, lane, partition, revision, state, verdict, at_s FROM limit_reservations
WHERE lane = $1 AND partition = $2 AND state = ${reservationState.held}`;
  return await sql.query<ReservationRow & Record<string, unknown>>({ name: 'limit_reservations_held', text, params: [lane, partition] });
}

/** Deletes the reservations of calls that ended before this time: they are no longer needed. */
export async function dropReservations(sql: Sql, before_s: number): Promise<void> {
  const text = `DELETE FROM limit_reservations WHERE call_uuid IN
(SELECT call_uuid FROM limit_reservations WHERE state <> ${reservationState.held} AND at_s < $1 LIMIT 500)`;
  await sql.query({ name: 'limit_reservations_drop', text, params: [before_s] });
}

/** Records that the decisions of this partition are in the counters. */
export async function countPartition(sql: Sql, lane: string, partition: number): Promise<void> {
  const text = 'INSERT INTO limit_partitions (lane, partition) VALUES ($1, $2) ON CONFLICT DO NOTHING';
  await sql.query({ name: 'limit_partition_counted', text, params: [lane, partition] });
}

/** The partitions of a lane whose decisions are in the counters. */
export async function countedPartitions(sql: Sql, lane: string): Promise<ReadonlySet<number>> {
  const text = 'SELECT partition FROM limit_partitions WHERE lane = $1';
  const rows = await sql.query<{ partition: number }>({ name: 'limit_partitions_counted', text, params: [lane] });
  return new Set(rows.map(({ partition }) => partition));
}

/** The database's clock, epoch ms: the common clock of all instances. */
export async function databaseTime(sql: Sql): Promise<number> {
  const text = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now_ms';
  const [row] = await sql.query<{ now_ms: number }>({ name: 'database_time', text, params: [] });
  return (row as { now_ms: number }).now_ms;
}
