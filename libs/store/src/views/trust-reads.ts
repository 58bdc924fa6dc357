import type { Row, Sql } from '../store.js';
import { TRUST_BUCKET } from './trust-tables.js';
import { type TrustBit, type TrustFactWrite, trustBits } from './trust-writes.js';

/** Where a read stops in one partition: `next_offset` is the first record that is excluded. */
export interface TrustCut {
  topic: string;
  partition: number;
  next_offset: number;
}

/** A past moment: the records up to `at_ms`, and in the partitions of `cuts` exactly the records below the cut. */
export interface TrustBound {
  at_ms: number;
  cuts: readonly TrustCut[];
  /** Reads when a record was appended; needed only for the few records whose times the rows do not hold. */
  timeOf?(topic: string, partition: number, offset: number): Promise<number>;
}

/** Sums of one caller's calls of one version. */
export type TrustSum = Record<TrustBit, number> & {
  tool: string;
  version: string;
  principal: string;
  fact: 'run' | 'asked';
  first_at_ms: number;
  last_at_ms: number;
  confirmed_at_ms: number | null;
};

/** A row that straddles its partition's cut: only its records below the cut count. */
interface TrustPart extends Row {
  tool: string;
  version: string;
  principal: string;
  fact: 'run' | 'asked';
  topic: string;
  partition: number;
  first_offset: number;
  next_offset: number;
  first_at_ms: number;
  last_at_ms: number;
  confirmed_at_ms: number | null;
}

/** Which calls count: those of these tools, of one caller, or both. */
export interface TrustQuery {
  tenant_id: string;
  tools?: readonly string[];
  principal?: string;
}

const NOW = Number.MAX_SAFE_INTEGER;
const FROM = `FROM trust_runs t
  LEFT JOIN unnest($4::text[], $5::int2[], $6::int8[]) AS c(topic, partition, next_offset)
    ON c.topic = t.topic AND c.partition = t.partition
  WHERE t.tenant_id = $1 AND ($2::text[] IS NULL OR t.tool = ANY ($2::text[])) AND ($3::text IS NULL OR t.principal = $3::text)`;
const WHOLE = `CASE WHEN c.next_offset IS NULL THEN t.last_at_ms <= $7::int8 ELSE t.first_offset + ${TRUST_BUCKET} <= c.next_offset END`;

function paramsOf({ tenant_id, tools, principal }: TrustQuery, { at_ms, cuts }: TrustBound): unknown[] {
  return [
    tenant_id,
    tools ?? null,
    principal ?? null,
    cuts.map(({ topic }) => topic),
    cuts.map(({ partition }) => partition),
    cuts.map(({ next_offset }) => next_offset),
    at_ms,
  ];
}

/** The sums by tool, version, caller and fact, for now or for a past moment. */
export async function trustSums(sql: Sql, query: TrustQuery, bound: TrustBound = { at_ms: NOW, cuts: [] }): Promise<TrustSum[]> {
  const params = paramsOf(query, bound);
  const sums = await sql.query<TrustSum & Row>({
    name: 'views_trust_sums',
    text: `SELECT t.tool, t.version, t.principal, t.fact,
             ${trustBits.map((bit) => `sum(bit_count(t.${bit}))::int8 AS ${bit}`).join(', ')},
             min(t.first_at_ms) AS first_at_ms, max(t.last_at_ms) AS last_at_ms, max(t.confirmed_at_ms) AS confirmed_at_ms
           ${FROM} AND ${WHOLE} GROUP BY t.tool, t.version, t.principal, t.fact
           ORDER BY t.tool, t.version, t.principal, t.fact`,
    params,
  });
  if (bound.cuts.length === 0) return sums;
  const parts = await sql.query<TrustPart & Record<TrustBit, string>>({
    name: 'views_trust_parts',
    text: `SELECT t.tool, t.version, t.principal, t.fact, t.topic, t.partition, t.first_offset, c.next_offset,
             ${trustBits.map((bit) => `t.${bit}::text AS ${bit}`).join(', ')}, t.first_at_ms, t.last_at_ms, t.confirmed_at_ms
           ${FROM} AND NOT (${WHOLE}) AND t.first_offset < c.next_offset AND $7::int8 >= 0`,
    params,
  });
  return added(sums, parts, bound);
}

/** Adds the records of straddling rows below their cut to the sums. */
async function added(sums: TrustSum[], parts: readonly (TrustPart & Record<TrustBit, string>)[], bound: TrustBound): Promise<TrustSum[]> {
  const keyOf = ({ tool, version, principal, fact }: TrustSum | TrustPart) => JSON.stringify([tool, version, principal, fact]);
  const found = new Map(sums.map((sum) => [keyOf(sum), sum]));
  for (const part of parts) {
    const seen = (bit: TrustBit) => part[bit].slice(0, part.next_offset - part.first_offset);
    const { tool, version, principal, fact, first_at_ms } = part;
    if (!seen('runs').includes('1')) continue;
    const sum = found.get(keyOf(part)) ?? { tool, version, principal, fact, ...NOTHING, first_at_ms };
    for (const bit of trustBits) sum[bit] += ones(seen(bit));
    sum.first_at_ms = Math.min(sum.first_at_ms, first_at_ms);
    sum.last_at_ms = Math.max(sum.last_at_ms, await timeOfLast(part, seen('runs'), bound));
    const confirmed = seen(fact === 'run' ? 'verified' : 'succeeded');
    if (confirmed.includes('1')) sum.confirmed_at_ms = Math.max(sum.confirmed_at_ms ?? 0, await timeOfLast(part, confirmed, bound));
    found.set(keyOf(part), sum);
  }
  return [...found.values()];
}

async function timeOfLast({ topic, partition, first_offset }: TrustPart, bits: string, { at_ms, timeOf }: TrustBound): Promise<number> {
  return (await timeOf?.(topic, partition, first_offset + bits.lastIndexOf('1'))) ?? at_ms;
}

const NOTHING = { runs: 0, succeeded: 0, verified: 0, valid: 0, timely: 0, sound: 0, last_at_ms: 0, confirmed_at_ms: null };

function ones(bits: string): number {
  let count = 0;
  for (const bit of bits) if (bit === '1') count++;
  return count;
}

/** The lowest row of each partition that has records before and after a time: the cut lies in it. */
export function straddled(sql: Sql, query: TrustQuery, at_ms: number): Promise<TrustCut[]> {
  return sql.query<TrustCut & Row>({
    name: 'views_trust_straddled',
    text: `SELECT topic, partition, min(first_offset) AS next_offset FROM trust_runs
           WHERE tenant_id = $1 AND ($2::text[] IS NULL OR tool = ANY ($2::text[])) AND ($3::text IS NULL OR principal = $3::text)
             AND first_at_ms <= $4 AND last_at_ms > $4 GROUP BY topic, partition ORDER BY topic, partition`,
    params: [query.tenant_id, query.tools ?? null, query.principal ?? null, at_ms],
  });
}

/** The range of a version's records in a partition. */
export interface TrustSpan {
  topic: string;
  partition: number;
  events: number;
  first_offset: number;
  last_offset: number;
}

/** The events behind a version's numbers, by partition. */
export async function trustSpans(sql: Sql, query: { tenant_id: string; tool: string; version: string }): Promise<TrustSpan[]> {
  const rows = await sql.query<
    Row & { topic: string; partition: number; events: number; low: number; high: number; lows: string; highs: string }
  >({
    name: 'views_trust_spans',
    text: `WITH r AS (SELECT topic, partition, first_offset, runs FROM trust_runs
                      WHERE tenant_id = $1 AND tool = $2 AND version = $3 AND fact = 'run'),
                e AS (SELECT topic, partition, min(first_offset) AS low, max(first_offset) AS high, sum(bit_count(runs))::int8 AS events
                      FROM r GROUP BY topic, partition)
           SELECT e.*, (SELECT bit_or(runs)::text FROM r WHERE (r.topic, r.partition, r.first_offset) = (e.topic, e.partition, e.low)) AS lows,
                  (SELECT bit_or(runs)::text FROM r WHERE (r.topic, r.partition, r.first_offset) = (e.topic, e.partition, e.high)) AS highs
           FROM e ORDER BY e.topic, e.partition`,
    params: [query.tenant_id, query.tool, query.version],
  });
  return rows.map(({ topic, partition, events, low, high, lows, highs }) => {
    const first_offset = low + lows.indexOf('1');
    return { topic, partition, events, first_offset, last_offset: high + highs.lastIndexOf('1') };
  });
}

/** A record that counts, and the facts for which it counts. */
export type TrustRun = Record<TrustBit, boolean> & { topic: string; partition: number; offset: number; principal: string };

export interface TrustRunsQuery {
  tenant_id: string;
  tool: string;
  version: string;
  /** Continue after this record. */
  after?: { topic: string; partition: number; offset: number };
  limit: number;
}

/** The records behind a version's numbers, by topic, partition and offset. */
export async function trustRuns(sql: Sql, query: TrustRunsQuery): Promise<TrustRun[]> {
  const { tenant_id, tool, version, after, limit } = query;
  const rows = await sql.query<Row & TrustPart & Record<TrustBit, string>>({
    name: 'views_trust_run_rows',
    text: `SELECT topic, partition, first_offset, principal, ${trustBits.map((bit) => `${bit}::text AS ${bit}`).join(', ')} FROM trust_runs
           WHERE tenant_id = $1 AND tool = $2 AND version = $3 AND fact = 'run' AND (topic, partition, first_offset) >= ($4, $5::int2, $6::int8)
           ORDER BY topic, partition, first_offset, principal LIMIT $7`,
    params: [
      tenant_id,
      tool,
      version,
      after?.topic ?? '',
      after?.partition ?? 0,
      after ? after.offset - (after.offset % TRUST_BUCKET) : 0,
      limit + TRUST_BUCKET,
    ],
  });
  const found: TrustRun[] = [];
  for (const row of rows) found.push(...runsOf(row));
  const isNew = (run: TrustRun) => !after || run.topic !== after.topic || run.partition !== after.partition || run.offset > after.offset;
  return found.filter(isNew).sort(byPosition).slice(0, limit);
}

const byPosition = (a: TrustRun, b: TrustRun): number =>
  a.topic === b.topic ? a.partition - b.partition || a.offset - b.offset : a.topic < b.topic ? -1 : 1;

function runsOf(row: TrustPart & Record<TrustBit, string>): TrustRun[] {
  const { topic, partition, first_offset, principal } = row;
  const found: TrustRun[] = [];
  for (let at = row.runs.indexOf('1'); at >= 0; at = row.runs.indexOf('1', at + 1)) {
    const flags = Object.fromEntries(trustBits.map((bit) => [bit, row[bit][at] === '1'])) as Record<TrustBit, boolean>;
    found.push({ topic, partition, offset: first_offset + at, principal, ...flags });
  }
  return found;
}

/** A stored fact. */
export type TrustFactRow = TrustFactWrite & Row;

/** Facts about these tools (about all, if none are named), in order, for now or for a past moment. */
export function trustFacts(
  sql: Sql,
  query: Omit<TrustQuery, 'principal'>,
  bound: TrustBound = { at_ms: NOW, cuts: [] },
): Promise<TrustFactRow[]> {
  return sql.query<TrustFactRow>({
    name: 'views_trust_facts',
    text: `SELECT t.tenant_id, t.kind, t.tool, t.version, t.topic, t.partition, t.source_offset, t.at_ms, t.detail
           FROM trust_facts t
           LEFT JOIN unnest($3::text[], $4::int2[], $5::int8[]) AS c(topic, partition, next_offset)
             ON c.topic = t.topic AND c.partition = t.partition
           WHERE t.tenant_id IN ($1, '') AND ($2::text[] IS NULL OR t.tool = ANY ($2::text[]))
             AND CASE WHEN c.next_offset IS NULL THEN t.at_ms <= $6::int8 ELSE t.source_offset < c.next_offset END
           ORDER BY t.topic, t.source_offset`,
    params: [query.tenant_id, query.tools ?? null, ...paramsOf(query, bound).slice(3)],
  });
}

/** A caller, version and tenant with new records. */
export interface TrustTouched extends Row {
  tenant_id: string;
  tool: string;
  version: string;
  principal: string;
}

/** Callers, versions and tenants with records at or beyond these offsets, or in a partition that is not listed. */
export function trustTouched(sql: Sql, seen: readonly TrustCut[]): Promise<TrustTouched[]> {
  return sql.query<TrustTouched>({
    name: 'views_trust_touched',
    text: `SELECT DISTINCT t.tenant_id, t.tool, t.version, t.principal FROM trust_runs t
           LEFT JOIN unnest($1::text[], $2::int2[], $3::int8[]) AS c(topic, partition, next_offset)
             ON c.topic = t.topic AND c.partition = t.partition
           WHERE c.next_offset IS NULL OR t.first_offset + ${TRUST_BUCKET} > c.next_offset`,
    params: [seen.map(({ topic }) => topic), seen.map(({ partition }) => partition), seen.map(({ next_offset }) => next_offset)],
  });
}

/** Tenants whose tools have a fact at or beyond these offsets; a fact without a tenant counts for every tenant that ran the tool. */
export function trustFactsTouched(sql: Sql, seen: readonly TrustCut[]): Promise<(Row & { tenant_id: string })[]> {
  return sql.query<Row & { tenant_id: string }>({
    name: 'views_trust_facts_touched',
    text: `SELECT DISTINCT CASE WHEN t.tenant_id = '' THEN r.tenant_id ELSE t.tenant_id END AS tenant_id FROM trust_facts t
           LEFT JOIN unnest($1::text[], $2::int2[], $3::int8[]) AS c(topic, partition, next_offset)
             ON c.topic = t.topic AND c.partition = t.partition
           LEFT JOIN LATERAL (SELECT DISTINCT tenant_id FROM trust_runs WHERE t.tenant_id = '' AND trust_runs.tool = t.tool) r ON true
           WHERE (c.next_offset IS NULL OR t.source_offset >= c.next_offset) AND (t.tenant_id <> '' OR r.tenant_id IS NOT NULL)`,
    params: [seen.map(({ topic }) => topic), seen.map(({ partition }) => partition), seen.map(({ next_offset }) => next_offset)],
  });
}
