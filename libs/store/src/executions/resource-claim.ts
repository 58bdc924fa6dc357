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

// One order for every batch, so that two batches that overlap do not deadlock. The lock lasts until the transaction ends.
const LOCK = `INSERT INTO resource_generations AS g (resource) SELECT r.resource FROM unnest($1::uuid[]) AS r(resource) ORDER BY r.resource
ON CONFLICT (resource) DO UPDATE SET at_any = g.at_any`;

const ITEMS = `items AS (SELECT * FROM unnest($2::uuid[], $3::int2[], $4::text[], $5::uuid[], $6::int2[], $7::int2[], $8::int8[], $9::int2[], $10::int8[],
  $11::text[], $12::bool[], $13::int4[])
  AS i(key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, approval_id, forced, settle_ms))`;
const TOUCHES = `touches AS (SELECT * FROM unnest($14::uuid[], $15::int2[], $16::uuid[], $17::int2[]) AS t(key, attempt, resource, flags))`;

// A hold whose attempt has ended, or is gone, counts for nothing.
const CONFLICTS = `conflicts AS (SELECT t.key, t.attempt, h.doubt_until_ms FROM touches t
  JOIN resource_holds h ON h.resource = t.resource AND (t.flags & 1 = 1 OR h.flags & 1 = 1) AND h.key <> t.key
  JOIN tool_executions r ON r.key = h.key AND r.attempt = h.attempt AND r.state IN (1, 3))`;
const BUSY = `busy AS (SELECT DISTINCT o.key, o.attempt FROM conflicts o WHERE o.doubt_until_ms IS NULL OR o.doubt_until_ms > ${NOW_MS})`;

// From the clock upwards: a generation whose row was lost does not come back with a number that an old answer knows.
const GENERATIONS = `generations AS (SELECT t.key, t.attempt, greatest(${NOW_MS}, max(greatest(g.at_any, g.in_any)) + 1) AS generation
  FROM touches t JOIN resource_generations g ON g.resource = t.resource GROUP BY t.key, t.attempt)`;
const CLAIMED = `claimed AS (SELECT t.key, t.attempt, json_build_object('generation', n.generation, 'settle_ms', i.settle_ms, 'touched',
    json_agg(json_build_array(t.resource, t.flags,
      CASE t.flags WHEN 3 THEN n.generation WHEN 1 THEN g.in_replaced WHEN 2 THEN g.at_any ELSE g.at_replaced END) ORDER BY t.resource))::text AS resources
  FROM touches t JOIN generations n ON n.key = t.key AND n.attempt = t.attempt JOIN items i ON i.key = t.key AND i.attempt = t.attempt
  JOIN resource_generations g ON g.resource = t.resource GROUP BY t.key, t.attempt, n.generation, i.settle_ms)`;

const FREE = `NOT EXISTS (SELECT FROM busy b WHERE b.key = i.key AND b.attempt = i.attempt)`;
const PREDECESSOR = `(i.attempt = 1 OR EXISTS (SELECT FROM tool_executions p WHERE p.key = i.key AND p.attempt = i.attempt - 1
  AND (p.state IN (4, 5) OR (p.state = 2 AND (i.forced OR (${standsSql('p')}) IS NOT TRUE)))))`;

// An approval that its call took with a claim that then lost its key is still its own: its call's next attempt may have it.
const USES = `uses AS (INSERT INTO approval_uses (approval_id, call_uuid)
  SELECT i.approval_id, i.call_uuid FROM lease CROSS JOIN items i
  WHERE i.approval_id IS NOT NULL AND ${FREE} AND ${PREDECESSOR}
    AND NOT EXISTS (SELECT FROM tool_executions t WHERE t.key = i.key AND t.attempt = i.attempt)
  ORDER BY i.approval_id ON CONFLICT (approval_id) DO NOTHING RETURNING approval_id, call_uuid)`;
const WON = `won AS (INSERT INTO tool_executions
    (key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch, resources)
  SELECT i.key, i.attempt, i.tenant_id, i.call_uuid, i.partition, i.state, i.digest8, i.source_topic, i.source_offset, lease.lane, lease.epoch, c.resources
  FROM lease CROSS JOIN items i JOIN claimed c ON c.key = i.key AND c.attempt = i.attempt
  WHERE ${FREE} AND ${PREDECESSOR}
    AND (i.approval_id IS NULL OR EXISTS (SELECT FROM uses u WHERE u.approval_id = i.approval_id AND u.call_uuid = i.call_uuid)
      OR EXISTS (SELECT FROM approval_uses a WHERE a.approval_id = i.approval_id AND a.call_uuid = i.call_uuid))
  ${FIRST_WINS}, resources)`;
const HELD = `held AS (INSERT INTO resource_holds (resource, key, attempt, flags, generation, settle_ms)
  SELECT t.resource, t.key, t.attempt, t.flags, n.generation, i.settle_ms FROM won w
  JOIN touches t ON t.key = w.key AND t.attempt = w.attempt JOIN generations n ON n.key = w.key AND n.attempt = w.attempt
  JOIN items i ON i.key = w.key AND i.attempt = w.attempt
  ON CONFLICT (resource, key, attempt) DO UPDATE SET generation = excluded.generation, flags = excluded.flags, doubt_until_ms = NULL)`;

const CLAIM = `WITH ${LEASE}, ${ITEMS}, ${TOUCHES}, ${CONFLICTS}, ${BUSY}, ${GENERATIONS}, ${CLAIMED}, ${USES}, ${WON}, ${HELD}
SELECT w.key, w.attempt, w.resources, EXISTS (SELECT FROM conflicts o WHERE o.key = w.key AND o.attempt = w.attempt) AS doubtful FROM won w
UNION ALL SELECT b.key, b.attempt, NULL, false FROM busy b`;

interface Claimed extends Row {
  key: string;
  attempt: number;
  resources: string | null;
  doubtful: boolean;
}

function lockStatement(claims: readonly ResourceClaim[]): Statement {
  const resources = [...new Set(claims.flatMap(({ touches }) => touches.map(({ resource }) => resource)))].sort();
  return { name: 'lock_resources', text: LOCK, params: [resources] };
}

/** For EXPLAIN in specs. The resources must be locked by the same transaction before. */
export function resourceClaimStatement(epoch: number, claims: readonly ResourceClaim[]): Statement {
  const column = <K extends keyof ResourceClaim>(name: K): ResourceClaim[K][] => claims.map((one) => one[name]);
  const touches = claims.flatMap(({ key, attempt, touches: all }) => all.map((one) => ({ key, attempt, ...one })));
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
  params.push(
    touches.map(({ key }) => key),
    touches.map(({ attempt }) => attempt),
    touches.map(({ resource }) => resource),
  );
  params.push(touches.map(touchFlags));
  return { name: 'claim_with_resources', text: CLAIM, params };
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
  const known = new Map(rows.map((row) => [executionId(row), row]));
  const first = new Set(asked);
  return claims.map((claim) => {
    if (!first.has(claim)) return { kind: 'busy' };
    const row = known.get(executionId(claim));
    if (!row) return { kind: 'lost' };
    if (row.resources === null) return { kind: 'busy' };
    return { kind: 'won', resources: claimedResources(row.resources), doubtful: row.doubtful };
  });
}

/**
 * Claims writes that name resources, in one transaction, under the lease of `epoch`: as `claim`, and one effect on a resource at a
 * time. `doubtful`: the outcome of an earlier effect on the resource is not known.
 */
export async function claimWithResources(store: Store, epoch: number, claims: readonly ResourceClaim[]): Promise<ResourceClaimed[]> {
  if (claims.length === 0) return [];
  const asked = apart(claims);
  const [, rows] = await store.atomically([lockStatement(asked), resourceClaimStatement(epoch, asked)]);
  return outcomes(claims, asked, rows as Claimed[]);
}

/** The same inside a transaction of the caller. */
export async function claimResourcesInside(sql: Sql, epoch: number, claim: ResourceClaim): Promise<ResourceClaimed> {
  await sql.query(lockStatement([claim]));
  const rows = await sql.query<Claimed>(resourceClaimStatement(epoch, [claim]));
  return outcomes([claim], [claim], rows)[0] as ResourceClaimed;
}

/** The row of a second key says the same of resources as the first: its answer stands as long. The first alone holds them. */
export async function copyResources(sql: Sql, { from, to }: { from: ExecutionKey; to: ExecutionKey }): Promise<void> {
  const text = `UPDATE tool_executions t SET resources = o.resources FROM tool_executions o
WHERE o.key = $1::uuid AND o.attempt = $2::int2 AND t.key = $3::uuid AND t.attempt = $4::int2`;
  await sql.query({ name: 'copy_resources', text, params: [from.key, from.attempt, to.key, to.attempt] });
}
