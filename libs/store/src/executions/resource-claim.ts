import type { ClaimedResources } from '@countersign/contracts';
import type { Row, Sql, Statement, Store } from '../store.js';
import { type ExecutionKey, executionId } from './execution-row.js';
import { claimedAs, type PlannedClaim, planClaim, type ResourceClaim } from './planned-claim.js';
import { actStatement, type ClaimAnswer, containStatement, lockStatement, resourceClaimStatement } from './resource-claim-sql.js';
import type { SeenGenerations } from './seen-generations.js';

export type ResourceClaimed =
  /**
   * `doubtful`: the outcome of an earlier effect on the resource is unknown. `acted_above`: an effect acted on a name above one of the
   * claimed names, so that the end must be written there too.
   */
  | { kind: 'won'; resources: ClaimedResources; doubtful: boolean; acted_above: boolean }
  | { kind: 'lost' }
  /** An overlapping effect runs, or its outcome is still unknown: claim again later. */
  | { kind: 'busy' };

/** The table values that a claim expects, and the clock for its generations. */
export interface ClaimTerms {
  seen: SeenGenerations;
  now_ms: number;
}

/** Planning rounds before a claim whose resources keep changing is reported as busy. */
const ROUNDS_MAX = 4;

/** Whether a claim overlaps an accepted one: one acts on a name that the other acts on or passes through. */
function taken(claim: ResourceClaim, exact: ReadonlySet<string>, passed: ReadonlySet<string>): boolean {
  return claim.touches.some((touch) => exact.has(touch.resource) || (touch.exact && passed.has(touch.resource)));
}

/** The claims that one statement can decide: of several claims for one key or for overlapping resources only the first. */
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

/** The marks that must be written on names before a claim can touch them. */
class Marks {
  private readonly contain = new Set<string>();
  private readonly act = new Set<string>();

  note({ resource, exact, has_below, acted }: ClaimAnswer): void {
    if (!exact && !has_below) this.contain.add(resource);
    if (exact && !acted) this.act.add(resource);
  }

  /** Includes the names that this process sees for the first time. */
  statements(plans: readonly PlannedClaim[], seen: SeenGenerations): Statement[] {
    const passed = new Set(plans.flatMap(({ claim }) => claim.touches.filter(({ exact }) => !exact).map(({ resource }) => resource)));
    const contain = new Set([...this.contain, ...seen.toContain(passed)]);
    const statements: Statement[] = [];
    if (contain.size > 0) statements.push(containStatement([...contain]));
    if (this.act.size > 0) statements.push(actStatement([...this.act]));
    return statements;
  }
}

/** The result of one statement. */
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

  /** Undefined: the claim must be planned again. */
  private outcomeOf(plan: PlannedClaim, at: number): ResourceClaimed | undefined {
    const touched = this.found.length === 0 ? [] : this.foundOf(plan, at);
    if (touched.some(({ busy }) => busy)) return { kind: 'busy' };
    if (touched.some(({ differs }) => differs)) return undefined;
    if (!this.won.has(executionId(plan.claim))) return this.nothingClaimed ? undefined : { kind: 'lost' };
    const acted_above = touched.some(({ exact, acted }) => !exact && acted);
    return { kind: 'won', resources: claimedAs(plan), doubtful: touched.some(({ doubtful }) => doubtful), acted_above };
  }

  /** A name that claims of the batch pass through was not as expected, so the statement claimed nothing. */
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
 * Claims writes that name resources, under the lease of `epoch`. Works as `claim`, and allows one effect on a resource at a time. Each
 * claim is made in one transaction as planned from the state that this process knows; a claim whose plan was stale is planned again.
 */
export async function claimWithResources(
  store: Store,
  epoch: number,
  claims: readonly ResourceClaim[],
  terms: ClaimTerms,
): Promise<ResourceClaimed[]> {
  if (claims.length === 0) return [];
  // An embedded database belongs to this process and runs its transactions one after the other, so that no locks are needed.
  return await claimAll((statements) => store.atomically(statements), epoch, claims, terms, store.durable);
}

/** The same inside the caller's transaction. */
export async function claimResourcesInside(sql: Sql, epoch: number, claim: ResourceClaim, terms: ClaimTerms): Promise<ResourceClaimed> {
  const inside: Run = async (statements) => {
    const answers: Row[][] = [];
    for (const statement of statements) answers.push(await sql.query(statement));
    return answers;
  };
  const [claimed] = await claimAll(inside, epoch, [claim], terms, true);
  return claimed as ResourceClaimed;
}

/**
 * Copies the resources of the first key's row to the row of the second key, so that both results are valid equally long. Only the first
 * key holds the resources.
 */
export async function copyResources(sql: Sql, { from, to }: { from: ExecutionKey; to: ExecutionKey }): Promise<void> {
  const text = `UPDATE tool_executions t SET resources = o.resources FROM tool_executions o
WHERE o.key = $1::uuid AND o.attempt = $2::int2 AND t.key = $3::uuid AND t.attempt = $4::int2`;
  await sql.query({ name: 'copy_resources', text, params: [from.key, from.attempt, to.key, to.attempt] });
}
