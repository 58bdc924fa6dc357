import type { Sql, Store } from '../store.js';
import { NOW_MS } from './lease-guard.js';

/** Serializes the choice of an epoch among executors that start together. */
const LOCK = 7_070_700_002;
const ACQUIRE = `INSERT INTO executor_leases (epoch, instance_id, lane, lease_until_ms)
SELECT greatest(coalesce(max(epoch), 0), $1) + 1, $2, $3, ${NOW_MS} + $4 FROM executor_leases RETURNING epoch`;
const HEARTBEAT = `UPDATE executor_leases SET lease_until_ms = ${NOW_MS} + $2 WHERE epoch = $1 AND NOT fenced RETURNING epoch`;
const FENCE_EXPIRED = `UPDATE executor_leases SET fenced = true
WHERE lane = $1 AND NOT fenced AND epoch <> $2 AND lease_until_ms <= ${NOW_MS} RETURNING epoch`;
const FENCE_OTHERS = 'UPDATE executor_leases SET fenced = true WHERE lane = $1 AND NOT fenced AND epoch <> $2 RETURNING epoch';
const OLDEST_HOLDER = `SELECT instance_id FROM executor_leases
WHERE lane = $1 AND NOT fenced AND lease_until_ms > ${NOW_MS} ORDER BY epoch LIMIT 1`;
const RELEASE = 'UPDATE executor_leases SET fenced = true WHERE epoch = $1';

export interface LeaseRequest {
  instance_id: string;
  lane: string;
  lease_ms: number;
  /** The highest epoch on the log, so that it is not issued again after the database was lost. 0 if none. */
  epoch_above: number;
}

/** Issues a new epoch, higher than any before. Timed by the database's clock. */
export async function acquire(store: Store, request: LeaseRequest): Promise<number> {
  const params = [request.epoch_above, request.instance_id, request.lane, request.lease_ms];
  const results = await store.atomically([
    { name: 'lease_lock', text: 'SELECT pg_advisory_xact_lock($1)', params: [LOCK] },
    { name: 'lease_acquire', text: ACQUIRE, params },
  ]);
  return results[1]?.[0]?.epoch as number;
}

/**
 * Extends the lease, also an expired one, unless it was fenced; false if the epoch is fenced (permanently). Read the monotonic deadline
 * before calling.
 */
export async function heartbeat(sql: Sql, epoch: number, lease_ms: number): Promise<boolean> {
  return (await sql.query({ name: 'lease_heartbeat', text: HEARTBEAT, params: [epoch, lease_ms] })).length > 0;
}

/**
 * Fences the expired leases of a lane, except the caller's own: a slow process must not fence its own lease. @returns their epochs; from
 * then on they can neither claim nor end a call.
 */
export async function fenceExpired(sql: Sql, lane: string, own_epoch: number): Promise<number[]> {
  const rows = await sql.query<{ epoch: number }>({ name: 'lease_fence_expired', text: FENCE_EXPIRED, params: [lane, own_epoch] });
  return rows.map(({ epoch }) => epoch);
}

/**
 * Fences every other lease of the lane at once: only for a caller that knows that their owners are dead (embedded: it holds the lock of
 * the log).
 */
export async function fenceOthers(sql: Sql, lane: string, epoch: number): Promise<number[]> {
  const rows = await sql.query<{ epoch: number }>({ name: 'lease_fence_others', text: FENCE_OTHERS, params: [lane, epoch] });
  return rows.map((row) => row.epoch);
}

/** Releases the lease: calls that still run under it may be taken over at once. */
export async function release(sql: Sql, epoch: number): Promise<void> {
  await sql.query({ name: 'lease_release', text: RELEASE, params: [epoch] });
}

/** The instance with the oldest live lease of a lane: work that one executor does for all is its own. Undefined: no lease is live. */
export async function oldestHolder(sql: Sql, lane: string): Promise<string | undefined> {
  const rows = await sql.query<{ instance_id: string }>({ name: 'lease_oldest_holder', text: OLDEST_HOLDER, params: [lane] });
  return rows[0]?.instance_id;
}
