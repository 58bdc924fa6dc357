import type { Sql, Store } from '../store.js';
import { NOW_MS } from './lease-guard.js';

/** Serialises the choice of an epoch among executors that start together. */
const LOCK = 7_070_700_002;
const ACQUIRE = `INSERT INTO executor_leases (epoch, instance_id, lane, lease_until_ms)
SELECT greatest(coalesce(max(epoch), 0), $1) + 1, $2, $3, ${NOW_MS} + $4 FROM executor_leases RETURNING epoch`;
const HEARTBEAT = `UPDATE executor_leases SET lease_until_ms = ${NOW_MS} + $2 WHERE epoch = $1 AND NOT fenced RETURNING epoch`;
const FENCE_EXPIRED = `UPDATE executor_leases SET fenced = true
WHERE lane = $1 AND NOT fenced AND epoch <> $2 AND lease_until_ms <= ${NOW_MS} RETURNING epoch`;
const FENCE_OTHERS = 'UPDATE executor_leases SET fenced = true WHERE lane = $1 AND NOT fenced AND epoch <> $2 RETURNING epoch';
const RELEASE = 'UPDATE executor_leases SET fenced = true WHERE epoch = $1';

export interface LeaseRequest {
  instance_id: string;
  lane: string;
  lease_ms: number;
  /** The highest epoch seen on the log, so that a lost database does not give one out twice. 0 where none. */
  epoch_above: number;
}

/** A new epoch, higher than any before. Timed by the database's clock. */
export async function acquire(store: Store, request: LeaseRequest): Promise<number> {
  const params = [request.epoch_above, request.instance_id, request.lane, request.lease_ms];
  const results = await store.atomically([
    { name: 'lease_lock', text: 'SELECT pg_advisory_xact_lock($1)', params: [LOCK] },
    { name: 'lease_acquire', text: ACQUIRE, params },
  ]);
  return results[1]?.[0]?.epoch as number;
}

/**
 * Prolongs the lease, also one whose time is over, unless it was fenced; false if the epoch is fenced (permanently).
 * Take the monotonic deadline before calling.
 */
export async function heartbeat(sql: Sql, epoch: number, lease_ms: number): Promise<boolean> {
  return (await sql.query({ name: 'lease_heartbeat', text: HEARTBEAT, params: [epoch, lease_ms] })).length > 0;
}

/**
 * Fences the leases of a lane that ran out, except the caller's own: a slow process must not fence its own lease.
 * @returns their epochs; from then on they claim nothing and end nothing.
 */
export async function fenceExpired(sql: Sql, lane: string, own_epoch: number): Promise<number[]> {
  const rows = await sql.query<{ epoch: number }>({ name: 'lease_fence_expired', text: FENCE_EXPIRED, params: [lane, own_epoch] });
  return rows.map(({ epoch }) => epoch);
}

/** Fences every other lease of the lane at once: only for a caller that knows their owners dead (embedded: the log's lock). */
export async function fenceOthers(sql: Sql, lane: string, epoch: number): Promise<number[]> {
  const rows = await sql.query<{ epoch: number }>({ name: 'lease_fence_others', text: FENCE_OTHERS, params: [lane, epoch] });
  return rows.map((row) => row.epoch);
}

/** Gives the lease up: whatever still runs under it may be taken over at once. */
export async function release(sql: Sql, epoch: number): Promise<void> {
  await sql.query({ name: 'lease_release', text: RELEASE, params: [epoch] });
}
