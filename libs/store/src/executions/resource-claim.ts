import type { ClaimedResources } from '@countersign/contracts';
import { LEASE, NOW_MS } from '../leases/lease-guard.js';
import type { Row, Sql, Statement, Store } from '../store.js';
import { type Claim, FIRST_WINS } from './claim.js';
import { type ExecutionKey, executionId } from './execution-row.js';
import { claimedResources, type ResourceTouch, touchFlags } from './resource-row.js';
import { standsSql } from './standing.js';

/** A claim of a write that names what it acts on. */
export interface ResourceClaim extends Claim {
  touches: readonly ResourceTouch[];
  settle_ms: number;
  /** The settled attempt before this one does not answer, whatever became of its resources (its window is over). */
  forced: boolean;
}

export type ResourceClaimed =
  | { kind: 'won'; resources: ClaimedResources; doubtful: boolean }
  | { kind: 'lost' }
  /** An effect that overlaps runs, or its outcome is not known yet: claim again later. */
  | { kind: 'busy' };

// Held until the transaction ends: whoever acts on a name waits for all who act on it or below it. One order for every batch, so that two
// that overlap do not deadlock.
const LOCK = `SELECT CASE WHEN r.exact THEN pg_advisory_xact_lock(r.id) ELSE pg_advisory_xact_lock_shared(r.id) END
FROM (SELECT hashtextextended(l.resource::text, 0) AS id, bool_or(l.exact) AS exact FROM unnest($1::uuid[], $2::bool[]) AS l(resource, exact)
  GROUP BY 1 ORDER BY 1) r`;

// Written once for a name: from then on whoever acts on it looks for effects below it.
const CONTAIN = `INSERT INTO resource_generations AS g (resource, has_below) SELECT r.resource, true FROM unnest($1::uuid[]) AS r(resource) ORDER BY r.resource
ON CONFLICT (resource) DO UPDATE SET has_below = true WHERE NOT g.has_below`;

const COLUMNS =
  'key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, approval_id, forced, settle_ms';
/** A hold counts as long as its attempt runs or is in doubt. */
const COUNTS = 'EXISTS (SELECT FROM tool_executions r WHERE r.key = h.key AND r.attempt = h.attempt AND r.state IN (1, 3))';
/** Whether an effect holds the name, or a name above (both are touched), or one below a name that is acted on. */
const held = (
  also: string,
): string => `(EXISTS (SELECT FROM resource_holds h WHERE h.resource = t.resource AND h.key <> t.key AND ${also} AND ${COUNTS})
    OR CASE WHEN g.has_below AND t.flags & 1 = 1 THEN EXISTS (SELECT FROM resource_holds h WHERE t.resource = ANY (h.path) AND h.key <> t.key AND ${also} AND ${COUNTS})
      ELSE false END)`;
// A row for each touched name, with the columns of its claim: joined lists would be compared each with each.
const TOUCHED = `touched AS MATERIALIZED (SELECT t.*, coalesce(greatest(g.at_any, g.in_any), 0) AS newest,
    ${held(`(h.doubt_until_ms IS NULL OR h.doubt_until_ms > ${NOW_MS})`)} AS busy, ${held(`h.doubt_until_ms <= ${NOW_MS}`)} AS doubtful,
    CASE t.flags WHEN 3 THEN '@' WHEN 1 THEN coalesce(g.in_replaced, 0)::text WHEN 2 THEN coalesce(g.at_any, 0)::text ELSE coalesce(g.at_replaced, 0)::text END AS seen
  FROM unnest($2::uuid[], $3::int2[], $4::text[], $5::uuid[], $6::int2[], $7::int2[], $8::int8[], $9::int2[], $10::int8[], $11::text[], $12::bool[], $13::int4[],
    $14::uuid[], $15::int2[]) AS t(${COLUMNS}, resource, flags)
  LEFT JOIN resource_generations g ON g.resource = t.resource)`;
// From the clock upwards: a generation whose row was lost does not come back with a number that an old answer knows.
const GENERATION = `greatest(${NOW_MS}, max(t.newest) + 1)`;
const ITEMS = `items AS MATERIALIZED (SELECT ${COLUMNS}, bool_or(t.busy) AS busy, bool_or(t.doubtful) AS doubtful,
    '{"generation":' || ${GENERATION} || ',"settle_ms":' || settle_ms || ',"touched":[' ||
    replace(string_agg('["' || t.resource || '",' || t.flags || ',' || t.seen || ']', ',' ORDER BY t.resource), '@', (${GENERATION})::text) || ']}' AS resources
  FROM touched t GROUP BY ${COLUMNS})`;

const PREDECESSOR = `(i.attempt = 1 OR EXISTS (SELECT FROM tool_executions p WHERE p.key = i.key AND p.attempt = i.attempt - 1
  AND (p.state IN (4, 5) OR (p.state = 2 AND (i.forced OR (${standsSql('p')}) IS NOT TRUE)))))`;

// An approval that its call took with a claim that then lost its key is still its own: its call's next attempt may have it.
const USES = `uses AS (INSERT INTO approval_uses (approval_id, call_uuid)
  SELECT i.approval_id, i.call_uuid FROM lease CROSS JOIN items i
  WHERE i.approval_id IS NOT NULL AND NOT i.busy AND ${PREDECESSOR}
    AND NOT EXISTS (SELECT FROM tool_executions t WHERE t.key = i.key AND t.attempt = i.attempt)
  ORDER BY i.approval_id ON CONFLICT (approval_id) DO NOTHING RETURNING approval_id, call_uuid)`;
const APPROVED = `(i.approval_id IS NULL OR EXISTS (SELECT FROM uses u WHERE u.approval_id = i.approval_id AND u.call_uuid = i.call_uuid)
    OR EXISTS (SELECT FROM approval_uses a WHERE a.approval_id = i.approval_id AND a.call_uuid = i.call_uuid))`;
const WON = `won AS (INSERT INTO tool_executions
    (key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch, resources)
  SELECT i.key, i.attempt, i.tenant_id, i.call_uuid, i.partition, i.state, i.digest8, i.source_topic, i.source_offset, lease.lane, lease.epoch, i.resources
  FROM lease CROSS JOIN items i WHERE NOT i.busy AND ${PREDECESSOR} AND`;
/** The holds of attempts, from the text of their rows: one for each name that they act on. */
export const HOLDS_OF = `SELECT (e->>0)::uuid AS resource, w.key, w.attempt, ((e->>1)::int2) & 2 AS flags, (w.resources::jsonb->>'generation')::int8 AS generation,
    (w.resources::jsonb->>'settle_ms')::int4 AS settle_ms,
    ARRAY(SELECT (p->>0)::uuid FROM jsonb_array_elements(w.resources::jsonb->'touched') p WHERE p->>0 <> e->>0) AS path`;
const HELD = `held AS (INSERT INTO resource_holds (resource, key, attempt, flags, generation, settle_ms, path)
  ${HOLDS_OF} FROM won w CROSS JOIN LATERAL jsonb_array_elements(w.resources::jsonb->'touched') e WHERE ((e->>1)::int2) & 1 = 1
  ON CONFLICT (resource, key, attempt) DO UPDATE SET generation = excluded.generation, flags = excluded.flags, path = excluded.path, doubt_until_ms = NULL)`;
const ANSWER = `SELECT w.key, w.attempt, w.resources, false AS busy, false AS doubtful FROM won w
UNION ALL SELECT i.key, i.attempt, NULL, i.busy, i.doubtful FROM items i WHERE i.busy OR i.doubtful`;

const CLAIM = `WITH ${LEASE}, ${TOUCHED}, ${ITEMS}, ${WON} i.approval_id IS NULL ${FIRST_WINS}, resources), ${HELD}\n${ANSWER}`;
const CLAIM_WITH_APPROVAL = `WITH ${LEASE}, ${TOUCHED}, ${ITEMS}, ${USES}, ${WON} ${APPROVED} ${FIRST_WINS}, resources), ${HELD}\n${ANSWER}`;

interface Claimed extends Row {
  key: string;
  attempt: number;
  /** Null: it says only that it is busy, or doubtful. */
  resources: string | null;
  busy: boolean;
  doubtful: boolean;
}

/** What must be there, and nobody else in between, before resources are claimed. */
function before(claims: readonly ResourceClaim[], alone: boolean): Statement[] {
  const exact = new Map<string, boolean>();
  for (const { touches } of claims)
    for (const touch of touches) exact.set(touch.resource, touch.exact || exact.get(touch.resource) === true);
  const above = new Set(claims.flatMap(({ touches }) => touches.filter((touch) => !touch.exact).map(({ resource }) => resource)));
  const contain = { name: 'contain_resources', text: CONTAIN, params: [[...above]] };
  const lock = { name: 'lock_resources', text: LOCK, params: [[...exact.keys()], [...exact.values()]] };
  return alone ? [contain] : [lock, contain];
}

/** For EXPLAIN in specs. What `before` says must be done in the same transaction. Names of one claim are listed once. */
export function resourceClaimStatement(epoch: number, claims: readonly ResourceClaim[]): Statement {
  const touches = claims.flatMap((claim) => claim.touches.map((touch) => ({ ...claim, ...touch, flags: touchFlags(touch) })));
  const column = <K extends keyof (typeof touches)[number]>(name: K) => touches.map((one) => one[name]);
  const params: unknown[] = [epoch];
  params.push(column('key'), column('attempt'), column('tenant_id'), column('call_uuid'), column('partition'), column('state'));
  params.push(
    column('digest8'),
    column('source_topic'),
    column('source_offset'),
    column('approval_id'),
    column('forced'),
    column('settle_ms'),
  );
  params.push(column('resource'), column('flags'));
  const withApproval = claims.some(({ approval_id }) => approval_id !== null);
  if (withApproval) return { name: 'claim_resources_with_approval', text: CLAIM_WITH_APPROVAL, params };
  return { name: 'claim_resources', text: CLAIM, params };
}

/** Whether two claims overlap: one acts on a name that the other acts on or passes through. */
function taken(claim: ResourceClaim, exact: ReadonlySet<string>, passed: ReadonlySet<string>): boolean {
  return claim.touches.some((touch) => exact.has(touch.resource) || (touch.exact && passed.has(touch.resource)));
}

/** The claims that one statement can judge: of two for one key or for overlapping resources only the first. */
function apart(claims: readonly ResourceClaim[]): ResourceClaim[] {
  const [exact, passed, keys] = [new Set<string>(), new Set<string>(), new Set<string>()];
  return claims.filter((claim) => {
    if (keys.has(claim.key) || taken(claim, exact, passed)) return false;
    keys.add(claim.key);
    for (const touch of claim.touches) {
      passed.add(touch.resource);
      if (touch.exact) exact.add(touch.resource);
    }
    return true;
  });
}

function outcomes(claims: readonly ResourceClaim[], asked: readonly ResourceClaim[], rows: readonly Claimed[]): ResourceClaimed[] {
  const won = new Map<string, string>();
  const doubtful = new Set<string>();
  const busy = new Set<string>();
  for (const row of rows) {
    if (row.resources !== null) won.set(executionId(row), row.resources);
    if (row.doubtful) doubtful.add(executionId(row));
    if (row.busy) busy.add(executionId(row));
  }
  const first = new Set(asked);
  return claims.map((claim) => {
    const id = executionId(claim);
    const text = first.has(claim) ? won.get(id) : undefined;
    if (text !== undefined) return { kind: 'won', resources: claimedResources(text), doubtful: doubtful.has(id) };
    return { kind: busy.has(id) || !first.has(claim) ? 'busy' : 'lost' };
  });
}

/**
 * Claims writes that name resources, in one transaction, under the lease of `epoch`: as `claim`, and one effect on a resource at a
 * time. `doubtful`: the outcome of an earlier effect on the resource is not known.
 */
export async function claimWithResources(store: Store, epoch: number, claims: readonly ResourceClaim[]): Promise<ResourceClaimed[]> {
  if (claims.length === 0) return [];
  const asked = apart(claims);
  // Where the database is this process's own, its transactions come one after the other.
  const answers = await store.atomically([...before(asked, !store.durable), resourceClaimStatement(epoch, asked)]);
  return outcomes(claims, asked, answers.at(-1) as Claimed[]);
}

/** The same inside a transaction of the caller. */
export async function claimResourcesInside(sql: Sql, epoch: number, claim: ResourceClaim): Promise<ResourceClaimed> {
  for (const statement of before([claim], false)) await sql.query(statement);
  const rows = await sql.query<Claimed>(resourceClaimStatement(epoch, [claim]));
  return outcomes([claim], [claim], rows)[0] as ResourceClaimed;
}

/** The row of a second key says the same of resources as the first: its answer stands as long. The first alone holds them. */
export async function copyResources(sql: Sql, { from, to }: { from: ExecutionKey; to: ExecutionKey }): Promise<void> {
  const text = `UPDATE tool_executions t SET resources = o.resources FROM tool_executions o
WHERE o.key = $1::uuid AND o.attempt = $2::int2 AND t.key = $3::uuid AND t.attempt = $4::int2`;
  await sql.query({ name: 'copy_resources', text, params: [from.key, from.attempt, to.key, to.attempt] });
}
