import { InfrastructureFault } from '@countersign/contracts';
import type { Sql, Store } from '../store.js';

/** A counter of a limit; `slots` is JSON that is opaque to the store. */
export interface CounterRow {
  key: string;
  tenant_id: string;
  limit_id: string;
  subject: string;
  per: string;
  slots: string;
}

export const reservationState = { held: 1, settled: 2, refused: 3 } as const;
export type ReservationState = (typeof reservationState)[keyof typeof reservationState];

/** The decision for a call that limits count: one row for each call, whichever revision is the newest. */
export interface ReservationRow {
  call_uuid: string;
  lane: string;
  partition: number;
  revision: number;
  state: ReservationState;
  /** JSON that is opaque to the store. */
  verdict: string;
  at_s: number;
}

export type NewCounter = Omit<CounterRow, 'slots'>;

/** Counters and calls, locked until the change is written. */
export interface Locked {
  /** Counter → its slots. */
  slots: ReadonlyMap<string, string>;
  /** call_uuid → its decision. */
  reservations: ReadonlyMap<string, ReservationRow>;
}

export interface CounterChange {
  counters: readonly { key: string; slots: string }[];
  reservations: readonly ReservationRow[];
}

const MAKE = `INSERT INTO limit_counters (key, tenant_id, limit_id, subject, per, slots)
SELECT i.key, i.tenant_id, i.limit_id, i.subject, i.per, '[]' FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
  AS i(key, tenant_id, limit_id, subject, per) ORDER BY i.key ON CONFLICT (key) DO NOTHING`;
const LOCK = 'SELECT key, slots FROM limit_counters WHERE key = ANY($1::text[]) ORDER BY key FOR UPDATE';
const FIND = `SELECT call_uuid, lane, partition, revision, state, verdict, at_s FROM limit_reservations
WHERE call_uuid = ANY($1::uuid[]) ORDER BY call_uuid FOR UPDATE`;
const COUNT = 'UPDATE limit_counters c SET slots = i.slots FROM unnest($1::text[], $2::text[]) AS i(key, slots) WHERE c.key = i.key';
const DECIDE = `INSERT INTO limit_reservations AS r (call_uuid, lane, partition, revision, state, verdict, at_s)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::int2[], $4::int2[], $5::int2[], $6::text[], $7::int4[])
ON CONFLICT (call_uuid) DO UPDATE SET revision = excluded.revision, state = excluded.state, verdict = excluded.verdict, at_s = excluded.at_s
WHERE r.revision <= excluded.revision RETURNING call_uuid`;

async function make(sql: Sql, counters: readonly NewCounter[]): Promise<void> {
  const params = [
    counters.map(({ key }) => key),
    counters.map(({ tenant_id }) => tenant_id),
    counters.map(({ limit_id }) => limit_id),
    counters.map(({ subject }) => subject),
    counters.map(({ per }) => per),
  ];
  await sql.query({ name: 'limit_counters_make', text: MAKE, params });
}

async function lock(sql: Sql, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<{ key: string; slots: string }>({ name: 'limit_counters_lock', text: LOCK, params: [keys] });
  return new Map(rows.map(({ key, slots }) => [key, slots]));
}

async function find(sql: Sql, call_uuids: readonly string[]): Promise<ReadonlyMap<string, ReservationRow>> {
  const statement = { name: 'limit_reservations_find', text: FIND, params: [call_uuids] };
  const rows = await sql.query<ReservationRow & Record<string, unknown>>(statement);
  return new Map(rows.map((row) => [row.call_uuid, row]));
}

async function write(sql: Sql, { counters, reservations }: CounterChange): Promise<void> {
  if (counters.length > 0) {
    const params = [counters.map(({ key }) => key), counters.map(({ slots }) => slots)];
    await sql.query({ name: 'limit_counters_count', text: COUNT, params });
  }
  if (reservations.length === 0) return;
  const params = [
    reservations.map((row) => row.call_uuid),
    reservations.map((row) => row.lane),
    reservations.map((row) => row.partition),
    reservations.map((row) => row.revision),
    reservations.map((row) => row.state),
    reservations.map((row) => row.verdict),
    reservations.map((row) => row.at_s),
  ];
  const written = await sql.query({ name: 'limit_reservations_decide', text: DECIDE, params });
  if (written.length !== reservations.length) throw new InfrastructureFault('another process decided on the same call at the same time');
}

/**
 * Changes counters and reservations in one transaction. Missing counters are created, and all are locked in key order, so that
 * overlapping batches wait for each other and no limit is exceeded. `decide` receives the current rows, must be synchronous, and returns
 * what to write. `isKnown`: counters seen before need not be created; if one of them is missing after all, all are created. @throws
 * InfrastructureFault: nothing was written.
 */
export function changeCounters(
  store: Store,
  about: { counters: readonly NewCounter[]; call_uuids: readonly string[]; isKnown?: (key: string) => boolean },
  decide: (locked: Locked) => CounterChange,
): Promise<void> {
  const counters = [...about.counters].sort((a, b) => (a.key < b.key ? -1 : 1));
  const keys = counters.map(({ key }) => key);
  const missing = counters.filter(({ key }) => about.isKnown?.(key) !== true);
  return store.transaction(async (sql) => {
    if (missing.length > 0) await make(sql, missing);
    let slots = await lock(sql, keys);
    if (slots.size < keys.length) {
      await make(sql, counters);
      slots = await lock(sql, keys);
    }
    await write(sql, decide({ slots, reservations: await find(sql, about.call_uuids) }));
  });
}
