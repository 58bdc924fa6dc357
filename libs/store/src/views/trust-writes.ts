import type { Statement } from '../store.js';
import { TRUST_BUCKET } from './trust-tables.js';

/** The bitmap columns of a row, in order. */
export const trustBits = ['runs', 'succeeded', 'verified', 'valid', 'timely', 'sound'] as const;
export type TrustBit = (typeof trustBits)[number];

/** New facts about one caller's calls of one version within `TRUST_BUCKET` offsets. */
export interface TrustRunsWrite {
  tenant_id: string;
  tool: string;
  version: string;
  /** `<kind>:<id>` */
  principal: string;
  /** `run`: calls that ran. `asked`: approval requests that people decided; `succeeded` are the granted ones. */
  fact: 'run' | 'asked';
  topic: string;
  partition: number;
  first_offset: number;
  bits: Record<TrustBit, Buffer>;
  first_at_ms: number;
  last_at_ms: number;
  confirmed_at_ms: number | null;
}

export const firstOffset = (offset: number): number => offset - (offset % TRUST_BUCKET);

export function emptyBits(): Record<TrustBit, Buffer> {
  const bytes = TRUST_BUCKET / 8;
  const all = trustBits.map((bit) => [bit, Buffer.alloc(bytes)] as const);
  return Object.fromEntries(all) as Record<TrustBit, Buffer>;
}

/** Sets the bit of an offset: the first offset of a row is its leftmost bit. */
export function setBit(bits: Buffer, offset: number): void {
  const at = offset % TRUST_BUCKET;
  bits[at >> 3] = (bits[at >> 3] as number) | (0x80 >> (at & 7));
}

const hex = (rows: readonly TrustRunsWrite[], bit: TrustBit): string[] => rows.map(({ bits }) => `x${bits[bit].toString('hex')}`);

/** At most one row for each key in one statement. Bits are only set, never cleared. */
export function upsertTrustRuns(rows: readonly TrustRunsWrite[]): Statement {
  return {
    name: 'views_upsert_trust_runs',
    text: `INSERT INTO {trust_runs} AS t (tenant_id, tool, version, principal, fact, topic, partition, first_offset,
             runs, succeeded, verified, valid, timely, sound, first_at_ms, last_at_ms, confirmed_at_ms)
           SELECT tenant_id, tool, version, principal, fact, topic, partition, first_offset,
             runs::bit(256), succeeded::bit(256), verified::bit(256), valid::bit(256), timely::bit(256), sound::bit(256),
             first_at_ms, last_at_ms, confirmed_at_ms
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int2[], $8::int8[],
             $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::int8[], $16::int8[], $17::int8[])
             AS u(tenant_id, tool, version, principal, fact, topic, partition, first_offset,
               runs, succeeded, verified, valid, timely, sound, first_at_ms, last_at_ms, confirmed_at_ms)
           ON CONFLICT (tenant_id, tool, version, principal, topic, partition, first_offset) DO UPDATE SET
             runs = t.runs | excluded.runs, succeeded = t.succeeded | excluded.succeeded, verified = t.verified | excluded.verified,
             valid = t.valid | excluded.valid, timely = t.timely | excluded.timely, sound = t.sound | excluded.sound,
             first_at_ms = LEAST(t.first_at_ms, excluded.first_at_ms), last_at_ms = GREATEST(t.last_at_ms, excluded.last_at_ms),
             confirmed_at_ms = GREATEST(t.confirmed_at_ms, excluded.confirmed_at_ms)`,
    params: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.tool),
      rows.map((row) => row.version),
      rows.map((row) => row.principal),
      rows.map((row) => row.fact),
      rows.map((row) => row.topic),
      rows.map((row) => row.partition),
      rows.map((row) => row.first_offset),
      ...trustBits.map((bit) => hex(rows, bit)),
      rows.map((row) => row.first_at_ms),
      rows.map((row) => row.last_at_ms),
      rows.map((row) => row.confirmed_at_ms),
    ],
  };
}

/** A fact about a tool or version that does not come from its calls: `detail` is JSON. */
export interface TrustFactWrite {
  /** Empty for registrations, which all tenants share. */
  tenant_id: string;
  kind: 'registered' | 'evaluated' | 'audited' | 'rated';
  tool: string;
  version: string;
  topic: string;
  partition: number;
  source_offset: number;
  at_ms: number;
  detail: string;
}

/** One row for each record. */
export function insertTrustFacts(rows: readonly TrustFactWrite[]): Statement {
  return {
    name: 'views_insert_trust_facts',
    text: `INSERT INTO {trust_facts} (tenant_id, kind, tool, version, topic, partition, source_offset, at_ms, detail)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int2[], $7::int8[], $8::int8[], $9::text[])
           ON CONFLICT DO NOTHING`,
    new_rows: true,
    params: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.kind),
      rows.map((row) => row.tool),
      rows.map((row) => row.version),
      rows.map((row) => row.topic),
      rows.map((row) => row.partition),
      rows.map((row) => row.source_offset),
      rows.map((row) => row.at_ms),
      rows.map((row) => row.detail),
    ],
  };
}
