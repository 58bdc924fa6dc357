import type { ClaimedResources } from '@countersign/contracts';
import type { Row, Sql, Statement, Store } from '../store.js';
import { type ExecutionKey, executionId } from './execution-row.js';
import { claimedAs, type PlannedClaim, planClaim, type ResourceClaim } from './planned-claim.js';
import { actStatement, type ClaimAnswer, containStatement, lockStatement, resourceClaimStatement } from './resource-claim-sql.js';
import type { SeenGenerations } from './seen-generations.js';

export type ResourceClaimed =
  /**
   * `doubtful`: the outcome of an earlier effect on the resource is not known. `acted_above`: something acted on a name above one of its
   * own, so that its end has to be written there too.
   */
  | { kind: 'won'; resources: ClaimedResources; doubtful: boolean; acted_above: boolean }
  | { kind: 'lost' }
  /** An effect that overlaps runs, or its outcome is not known yet: claim again later. */
  | { kind: 'busy' };

/** What a claim expects the tables to say, and the time of its generations. */
export interface ClaimTerms {
  seen: SeenGenerations;
  now_ms: number;
}

/** A claim that was planned wrongly this often, because its resources move all the time, comes again later. */
const ROUNDS_MAX = 4;

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

/** What must be written of names before a claim that touches them can be made. */
class Marks {
  private readonly contain = new Set<string>();
  private readonly act = new Set<string>();

  note({ resource, exact, has_below, acted }: ClaimAnswer): void {
    if (!exact && !has_below) this.contain.add(resource);
    if (exact && !acted) this.act.add(resource);
  }

  /** With the names that this process meets for the first time. */
  statements(plans: readonly PlannedClaim[], seen: SeenGenerations): Statement[] {
    const passed = new Set(plans.flatMap(({ claim }) => claim.touches.filter(({ exact }) => !exact).map(({ resource }) => resource)));
    const contain = new Set([...this.contain, ...seen.toContain(passed)]);
    const statements: Statement[] = [];
    if (contain.size > 0) statements.push(containStatement([...contain]));
    if (this.act.size > 0) statements.push(actStatement([...this.act]));
    return statements;
  }
}

/** What one statement came to. */
class Round {
  private readonly won = new Set<string>();
  private readonly found: ClaimAnswer[] = [];

  constructor(
    private readonly plans: readonly PlannedClaim[],
    rows: readonly ClaimAnswer[],
  ) {
    for (const row of rows)
      if (row.n === null) this.won.add(executionId({ key: row.key, attempt: row.attempt as number }));
      else this.found.push(row);
  }

  /** Undefined: it is to be planned again. */
  private outcomeOf(plan: PlannedClaim, at: number): ResourceClaimed | undefined {
    const touched = this.found.length === 0 ? [] : this.foundOf(plan, at);
    if (touched.some(({ busy }) => busy)) return { kind: 'busy' };
    if (touched.some(({ differs }) => differs)) return undefined;
    if (!this.won.has(executionId(plan.claim))) return this.nothingClaimed ? undefined : { kind: 'lost' };
    const acted_above = touched.some(({ exact, acted }) => !exact && acted);
    return { kind: 'won', resources: claimedAs(plan), doubtful: touched.some(({ doubtful }) => doubtful), acted_above };
  }

  /** A name that others of the batch pass through was not as expected. */
  private get nothingClaimed(): boolean {
    return this.found.some(({ n, busy, differs }) => n === -1 && (busy || differs));
  }

  private foundOf({ claim }: PlannedClaim, at: number): ClaimAnswer[] {
    return this.found.filter((row) =>
      row.n === -1 ? claim.touches.some(({ resource, exact }) => resource === row.resource && !exact) : row.n === at,
    );
  }

  learn(seen: SeenGenerations, marks: Marks): void {
    for (const row of this.found) {
      seen.learn(row.resource, row);
      marks.note(row);
    }
  }

  decide(answers: Map<ResourceClaim, ResourceClaimed>): ResourceClaim[] {
    return this.plans.flatMap((plan, at) => {
      const outcome = this.outcomeOf(plan, at);
      if (outcome === undefined) return [plan.claim];
      answers.set(plan.claim, outcome);
      return [];
    });
  }
}

type Run = (statements: readonly Statement[]) => Promise<Row[][]>;

async function claimAll(
  run: Run,
  epoch: number,
  claims: readonly ResourceClaim[],
  terms: ClaimTerms,
  locks: boolean,
): Promise<ResourceClaimed[]> {
  const answers = new Map<ResourceClaim, ResourceClaimed>();
  const marks = new Marks();
  let open: readonly ResourceClaim[] = apart(claims);
  for (let round = 0; round < ROUNDS_MAX && open.length > 0; round++) {
    const plans = open.map((claim) => planClaim(claim, terms.seen, terms.now_ms));
    const before = [...(locks ? [lockStatement(plans)] : []), ...marks.statements(plans, terms.seen)];
    const rows = await run([...before, resourceClaimStatement(epoch, plans)]);
    const result = new Round(plans, rows.at(-1) as ClaimAnswer[]);
    result.learn(terms.seen, marks);
    open = result.decide(answers);
  }
  return claims.map((claim) => answers.get(claim) ?? { kind: 'busy' });
}

/**
 * Claims writes that name resources under the lease of `epoch`: as `claim`, and one effect on a resource at a time. Each is made in
 * one transaction, as it was planned with what this process knew; what was wrong is planned again.
 */
export async function claimWithResources(
  store: Store,
  epoch: number,
  claims: readonly ResourceClaim[],
  terms: ClaimTerms,
): Promise<ResourceClaimed[]> {
  if (claims.length === 0) return [];
  // Where the database is this process's own, its transactions come one after the other.
  return await claimAll((statements) => store.atomically(statements), epoch, claims, terms, store.durable);
}

/** The same inside a transaction of the caller. */
export async function claimResourcesInside(sql: Sql, epoch: number, claim: ResourceClaim, terms: ClaimTerms): Promise<ResourceClaimed> {
  const inside: Run = async (statements) => {
    const answers: Row[][] = [];
    for (const statement of statements) answers.push(await sql.query(statement));
    return answers;
  };
  const [claimed] = await claimAll(inside, epoch, [claim], terms, true);
  return claimed as ResourceClaimed;
}

/** The row of a second key says the same of resources as the first: its answer stands as long. The first alone holds them. */
export async function copyResources(sql: Sql, { from, to }: { from: ExecutionKey; to: ExecutionKey }): Promise<void> {
  const text = `UPDATE tool_executions t SET resources = o.resources FROM tool_executions o
WHERE o.key = $1::uuid AND o.attempt = $2::int2 AND t.key = $3::uuid AND t.attempt = $4::int2`;
  await sql.query({ name: 'copy_resources', text, params: [from.key, from.attempt, to.key, to.attempt] });
}
