import { LEASE, NOW_MS } from '../leases/lease-guard.js';
import type { Row, Statement } from '../store.js';
import { FIRST_WINS } from './claim.js';
import type { PlannedClaim, PlannedTouch } from './planned-claim.js';
import { HOLD_COUNTS, standsSql } from './standing.js';

// Held until the transaction ends: a claim that acts on a name waits for all claims that act on it or below it. Every batch locks in the
// same order, so that overlapping batches do not deadlock.
const LOCK = `SELECT CASE WHEN r.exact THEN pg_advisory_xact_lock(r.id) ELSE pg_advisory_xact_lock_shared(r.id) END
FROM (SELECT hashtextextended(l.resource::text, 0) AS id, bool_or(l.exact) AS exact FROM unnest($1::uuid[], $2::bool[]) AS l(resource, exact)
  GROUP BY 1 ORDER BY 1) r`;

// Written once for each name: from then on a claim that acts on the name also looks for effects below it.
const CONTAIN = `INSERT INTO resource_generations AS g (resource, has_below, acted)
SELECT r.resource, true, EXISTS (SELECT FROM resource_holds h WHERE h.resource = r.resource) FROM unnest($1::uuid[]) AS r(resource) ORDER BY r.resource
ON CONFLICT (resource) DO UPDATE SET has_below = true WHERE NOT g.has_below`;
// Written once for a name that has names below it: from then on a claim below the name also looks for effects on it.
const ACT = `UPDATE resource_generations g SET acted = true FROM unnest($1::uuid[]) AS r(resource) WHERE g.resource = r.resource AND NOT g.acted`;

/** The overlapping holds of other attempts: on a touched name (touches include all names above), or below a name that the claim acts on. */
const OVERLAPS = `SELECT h.doubt_until_ms FROM resource_holds h WHERE h.resource = t.resource AND h.key IS DISTINCT FROM t.key AND ${HOLD_COUNTS}
    UNION ALL SELECT h.doubt_until_ms FROM resource_holds h
    WHERE t.has_below AND t.flags & 1 = 1 AND strpos(h.path, t.resource::text) > 0 AND h.key <> t.key AND ${HOLD_COUNTS}`;

// Conditions under which a claim cannot be made as planned: it is planned again with the values that were found.
const DIFFERS = `(coalesce(greatest(g.at_any, g.in_any), 0) >= t.generation
    OR CASE t.flags WHEN 3 THEN false WHEN 1 THEN coalesce(g.in_replaced, 0) <> t.seen WHEN 2 THEN coalesce(g.at_any, 0) <> t.seen ELSE coalesce(g.at_replaced, 0) <> t.seen END
    OR CASE WHEN t.flags & 1 = 0 THEN NOT coalesce(g.has_below, false) ELSE NOT coalesce(g.acted, true) END)`;
// Usually returns no row: names are read by key, and only names that differ or may be held are examined further. A name that several claims
// of the batch only pass through occurs once (n is -1): if it differs or is busy, the whole batch claims nothing.
const FOUND = `names AS MATERIALIZED (SELECT * FROM unnest($2::int2[], $3::uuid[], $4::int2[], $5::int8[], $6::int8[], $7::uuid[], $8::int2[], $9::text[])
    AS t(n, resource, flags, seen, generation, key, attempt, path)),
looked AS MATERIALIZED (SELECT t.n, t.resource, t.flags, t.key, ${DIFFERS} AS differs, coalesce(g.has_below, false) AS has_below,
    coalesce(g.acted, t.flags & 1 = 1) AS acted, coalesce(g.in_any, 0) AS in_any, coalesce(g.in_replaced, 0) AS in_replaced, coalesce(g.at_any, 0) AS at_any, coalesce(g.at_replaced, 0) AS at_replaced
  FROM names t LEFT JOIN resource_generations g ON g.resource = t.resource
  WHERE ${DIFFERS} OR CASE WHEN t.flags & 1 = 0 THEN g.acted ELSE coalesce(g.has_below, false) OR EXISTS (SELECT FROM resource_holds h WHERE h.resource = t.resource AND h.key <> t.key) END),
found AS MATERIALIZED (SELECT t.*, coalesce(held.busy, false) AS busy, coalesce(held.doubtful, false) AS doubtful FROM looked t CROSS JOIN LATERAL (
    SELECT bool_or(o.doubt_until_ms IS NULL OR o.doubt_until_ms > ${NOW_MS}) AS busy, bool_or(o.doubt_until_ms <= ${NOW_MS}) AS doubtful FROM (${OVERLAPS}) o) held),
items AS MATERIALIZED (SELECT * FROM unnest($10::int2[], $11::uuid[], $12::int2[], $13::text[], $14::uuid[], $15::int2[], $16::int2[], $17::int8[], $18::int2[], $19::int8[],
    $20::text[], $21::bool[], $22::text[]) AS i(n, key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, approval_id, forced, resources)
  WHERE NOT EXISTS (SELECT FROM found f WHERE f.n = -1 AND (f.busy OR f.differs)) AND i.n <> ALL (ARRAY(SELECT f.n FROM found f WHERE f.busy OR f.differs)))`;

const PREDECESSOR = `(i.attempt = 1 OR EXISTS (SELECT FROM tool_executions p WHERE p.key = i.key AND p.attempt = i.attempt - 1
  AND (p.state IN (4, 5) OR (p.state = 2 AND (i.forced OR (${standsSql('p')}) IS NOT TRUE)))))`;

// An approval that a call consumed with a claim that then lost its key stays with that call: its next attempt may use it.
const USES = `uses AS (INSERT INTO approval_uses (approval_id, call_uuid)
  SELECT i.approval_id, i.call_uuid FROM lease CROSS JOIN items i
  WHERE i.approval_id IS NOT NULL AND ${PREDECESSOR}
    AND NOT EXISTS (SELECT FROM tool_executions t WHERE t.key = i.key AND t.attempt = i.attempt)
  ORDER BY i.approval_id ON CONFLICT (approval_id) DO NOTHING RETURNING approval_id, call_uuid)`;
const APPROVED = `(i.approval_id IS NULL OR EXISTS (SELECT FROM uses u WHERE u.approval_id = i.approval_id AND u.call_uuid = i.call_uuid)
    OR EXISTS (SELECT FROM approval_uses a WHERE a.approval_id = i.approval_id AND a.call_uuid = i.call_uuid))`;
const WON = `won AS (INSERT INTO tool_executions
    (key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch, resources)
  SELECT i.key, i.attempt, i.tenant_id, i.call_uuid, i.partition, i.state, i.digest8, i.source_topic, i.source_offset, lease.lane, lease.epoch, i.resources
  FROM lease CROSS JOIN items i WHERE`;
// The CASE forces a hashed subplan: a join would compare every pair of rows.
const HELD = `held AS (INSERT INTO resource_holds (resource, key, attempt, flags, path) SELECT t.resource, t.key, t.attempt, t.flags & 2, t.path
  FROM names t WHERE t.flags & 1 = 1 AND CASE WHEN t.key IN (SELECT w.key FROM won w) THEN true ELSE false END
  ON CONFLICT (resource, key, attempt) DO UPDATE SET flags = excluded.flags, path = excluded.path, doubt_until_ms = NULL)`;
const ANSWER = `SELECT w.key, w.attempt, NULL::int2 AS n, NULL::uuid AS resource, NULL::bool AS exact, NULL::bool AS differs, NULL::bool AS busy, NULL::bool AS doubtful, NULL::bool AS has_below,
  NULL::bool AS acted, NULL::int8 AS in_any, NULL::int8 AS in_replaced, NULL::int8 AS at_any, NULL::int8 AS at_replaced FROM won w
UNION ALL SELECT f.key, NULL, f.n, f.resource, f.flags & 1 = 1, f.differs, f.busy, f.doubtful, f.has_below, f.acted, f.in_any, f.in_replaced, f.at_any, f.at_replaced FROM found f`;

// Each statement has only the parts that it needs, because PostgreSQL initializes the whole plan on each execution.
const CLAIM_FIRST = `WITH ${LEASE}, ${FOUND}, ${WON} i.attempt = 1 AND i.approval_id IS NULL ${FIRST_WINS}), ${HELD}\n${ANSWER}`;
const CLAIM = `WITH ${LEASE}, ${FOUND}, ${WON} ${PREDECESSOR} AND i.approval_id IS NULL ${FIRST_WINS}), ${HELD}\n${ANSWER}`;
const CLAIM_WITH_APPROVAL = `WITH ${LEASE}, ${FOUND}, ${USES}, ${WON} ${PREDECESSOR} AND ${APPROVED} ${FIRST_WINS}), ${HELD}\n${ANSWER}`;

/** A row of the response: a claim that won (`n` is null), or an examined name of claim `n`, or (-1) of all claims that pass through it. */
export interface ClaimAnswer extends Row {
  key: string;
  attempt: number | null;
  n: number | null;
  resource: string;
  exact: boolean;
  /** The row differs from what the claim expected. */
  differs: boolean;
  busy: boolean;
  doubtful: boolean;
  has_below: boolean;
  acted: boolean;
  in_any: number;
  in_replaced: number;
  at_any: number;
  at_replaced: number;
}

export function lockStatement(plans: readonly PlannedClaim[]): Statement {
  const exact = new Map<string, boolean>();
  for (const { claim } of plans)
    for (const touch of claim.touches) exact.set(touch.resource, touch.exact || exact.get(touch.resource) === true);
  return { name: 'lock_resources', text: LOCK, params: [[...exact.keys()], [...exact.values()]] };
}

export const containStatement = (resources: readonly string[]): Statement => ({
  name: 'contain_resources',
  text: CONTAIN,
  params: [resources],
});
export const actStatement = (resources: readonly string[]): Statement => ({ name: 'act_on_resources', text: ACT, params: [resources] });

/** The names of a batch as columns: each name that a claim acts on, and each name that claims only pass through once. */
class NameColumns {
  readonly n: number[] = [];
  readonly resource: string[] = [];
  readonly flags: number[] = [];
  readonly seen: number[] = [];
  readonly generation: number[] = [];
  readonly key: (string | null)[] = [];
  readonly attempt: number[] = [];
  /** All other names of the claim. */
  readonly path: string[] = [];
  /** The index of each name that claims pass through. */
  private readonly passed = new Map<string, number>();

  constructor(plans: readonly PlannedClaim[]) {
    for (const [at, { generation, touched }] of plans.entries())
      for (const one of touched) {
        if (one.flags & 1) this.act(at, one, plans[at] as PlannedClaim);
        else this.pass(one, generation);
      }
  }

  private act(n: number, one: PlannedTouch, { claim, generation, touched }: PlannedClaim): void {
    this.add(n, one, generation);
    this.key.push(claim.key);
    this.attempt.push(claim.attempt);
    this.path.push(othersOf(touched, one));
  }

  private pass(one: PlannedTouch, generation: number): void {
    const id = `${one.flags}${one.resource}`;
    const at = this.passed.get(id);
    if (at !== undefined) this.generation[at] = Math.min(this.generation[at] as number, generation);
    else {
      this.passed.set(id, this.n.length);
      this.add(-1, one, generation);
      this.key.push(null);
      this.attempt.push(0);
      this.path.push('');
    }
  }

  private add(n: number, { resource, flags, seen }: PlannedTouch, generation: number): void {
    this.n.push(n);
    this.resource.push(resource);
    this.flags.push(flags);
    this.seen.push(seen);
    this.generation.push(generation);
  }
}

export function resourceClaimStatement(epoch: number, plans: readonly PlannedClaim[]): Statement {
  const { n, resource, flags, seen, generation, key, attempt, path } = new NameColumns(plans);
  const params: unknown[] = [epoch, n, resource, flags, seen, generation, key, attempt, path, plans.map((_, at) => at)];
  const column = (of: (plan: PlannedClaim) => unknown): void => void params.push(plans.map(of));
  column(({ claim }) => claim.key);
  column(({ claim }) => claim.attempt);
  column(({ claim }) => claim.tenant_id);
  column(({ claim }) => claim.call_uuid);
  column(({ claim }) => claim.partition);
  column(({ claim }) => claim.state);
  column(({ claim }) => claim.digest8);
  column(({ claim }) => claim.source_topic);
  column(({ claim }) => claim.source_offset);
  column(({ claim }) => claim.approval_id);
  column(({ claim }) => claim.forced);
  column(({ text }) => text);
  const withApproval = plans.some(({ claim }) => claim.approval_id !== null);
  if (withApproval) return { name: 'claim_resources_with_approval', text: CLAIM_WITH_APPROVAL, params };
  if (plans.every(({ claim }) => claim.attempt === 1)) return { name: 'claim_resources_first', text: CLAIM_FIRST, params };
  return { name: 'claim_resources', text: CLAIM, params };
}

function othersOf(touched: readonly PlannedTouch[], one: PlannedTouch): string {
  let text = '';
  for (const other of touched) if (other !== one) text += text === '' ? other.resource : `,${other.resource}`;
  return text;
}
