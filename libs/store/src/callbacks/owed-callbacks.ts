import { callId, parseCallId } from '@countersign/contracts';
import { NOW_MS } from '../leases/lease-guard.js';
import type { Sql } from '../store.js';

/** A call whose callback URL has not accepted its callback yet. */
export interface OwedCallback {
  call_id: string;
  tenant_id: string;
}

const READ_MAX = 10_000;

const OWE = `INSERT INTO callbacks_owed (call_uuid, partition, tenant_id, owed_at_ms)
SELECT call_uuid, partition, tenant_id, ${NOW_MS} FROM unnest($1::uuid[], $2::int2[], $3::text[]) AS owed(call_uuid, partition, tenant_id)
ON CONFLICT DO NOTHING`;
const SETTLE = `DELETE FROM callbacks_owed
USING unnest($1::uuid[], $2::int2[]) AS settled(call_uuid, partition)
WHERE callbacks_owed.call_uuid = settled.call_uuid AND callbacks_owed.partition = settled.partition`;
const READ = `SELECT call_uuid, partition, tenant_id, ${NOW_MS} - owed_at_ms AS age_ms FROM callbacks_owed ORDER BY call_uuid DESC LIMIT ${READ_MAX}`;

const KEPT = 'SELECT 1 AS one FROM callbacks_kept';
const KEEP = 'INSERT INTO callbacks_kept VALUES (true) ON CONFLICT DO NOTHING';

const ids = (calls: readonly string[]) => calls.map((id) => parseCallId(id) as { partition: number; uuid: string });

/** Records that callbacks of these calls are owed until they are settled. */
export async function oweCallbacks(sql: Sql, calls: readonly OwedCallback[]): Promise<void> {
  const places = ids(calls.map(({ call_id }) => call_id));
  const params = [places.map(({ uuid }) => uuid), places.map(({ partition }) => partition), calls.map(({ tenant_id }) => tenant_id)];
  await sql.query({ name: 'callbacks_owe', text: OWE, params });
}

/** Removes callbacks that were delivered, refused or given up. */
export async function settleCallbacks(sql: Sql, calls: readonly string[]): Promise<void> {
  const places = ids(calls);
  const params = [places.map(({ uuid }) => uuid), places.map(({ partition }) => partition)];
  await sql.query({ name: 'callbacks_settle', text: SETTLE, params });
}

/** The owed callbacks and their ages, newest call first, at most 10,000. */
export async function owedCallbacks(sql: Sql): Promise<(OwedCallback & { age_ms: number })[]> {
  const rows = await sql.query<{ call_uuid: string; partition: number; tenant_id: string; age_ms: number }>({
    name: 'callbacks_owed',
    text: READ,
    params: [],
  });
  return rows.map(({ call_uuid, partition, ...rest }) => ({ call_id: callId(partition, call_uuid), ...rest }));
}

/** Whether the table holds all owed callbacks. False in a new or emptied database: the log then tells which callbacks may be owed. */
export async function isOwedKept(sql: Sql): Promise<boolean> {
  return (await sql.query({ name: 'callbacks_kept', text: KEPT, params: [] })).length > 0;
}

/** Records that all callbacks which are owed according to the log are in the table. */
export async function noteOwedKept(sql: Sql): Promise<void> {
  await sql.query({ name: 'callbacks_keep', text: KEEP, params: [] });
}
