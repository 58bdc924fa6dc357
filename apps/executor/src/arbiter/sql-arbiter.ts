import { type ClaimedKey, callId, parseCallId, parseTopic } from '@countersign/contracts';
import type { Execution, ExecutionState } from '@countersign/domain';
import { digest8 } from '@countersign/domain';
import type { Store } from '@countersign/store';
import * as sql from '@countersign/store';
import type { Job } from '../calls/job.js';
import type { Arbiter, Claim, DoubtfulRows, FoldedEnd, OrphanRow, Progress, RefoldedRow } from './arbiter.js';
import { claimPair } from './claim-pair.js';

const codes: Readonly<Record<ExecutionState, sql.ExecutionState>> = sql.executionState;
const names = new Map(Object.entries(codes).map(([name, code]) => [code, name as ExecutionState]));

const uuidOf = (call_id: string): string => parseCallId(call_id)?.uuid ?? call_id;
const topicCode = (topic: string): sql.SourceTopic => (parseTopic(topic).topic === 'approval-granted' ? 1 : 0);

function execution(row: sql.ExecutionRow & { stands?: boolean | null }): Execution {
  return {
    attempt: row.attempt,
    call_id: callId(row.partition, row.call_uuid),
    epoch: row.epoch,
    state: names.get(row.state) as ExecutionState,
    digest8: row.digest8,
    end_offset: row.end_offset,
    ended_at_ms: row.ended_at_s === null ? null : row.ended_at_s * 1000,
    stands: row.stands ?? null,
  };
}

function orphan(row: sql.ExecutionRow): OrphanRow {
  const source = { topic: row.source_topic === 1 ? ('approval-granted' as const) : ('policy-decided' as const), offset: row.source_offset };
  const resources = row.resources === null ? null : sql.claimedResources(row.resources);
  return { ...execution(row), key: row.key, lane: row.lane, partition: row.partition, source, resources };
}

function claimed({ job, attempt, state }: Claim): sql.Claim {
  const { call, source, approval_id, joined_call_id } = job.authorised;
  return {
    key: job.key,
    attempt,
    tenant_id: job.tenant_id,
    call_uuid: uuidOf(job.call_id),
    partition: job.partition,
    state: state === 'reading' ? sql.executionState.reading : sql.executionState.running,
    digest8: digest8(call.discriminating_digest),
    source_topic: topicCode(source.topic),
    source_offset: source.offset,
    approval_id: joined_call_id === null ? approval_id : null,
  };
}

function namedClaim(claim: Claim): sql.ResourceClaim {
  const { touches, settle_ms, window_over } = claim.job;
  return { ...claimed(claim), touches, settle_ms, forced: window_over };
}

/** Notes the result of its claim in the job. */
export function noteClaimed(job: Job, answer: sql.ResourceClaimed): boolean {
  job.resource_busy = answer.kind === 'busy';
  if (answer.kind !== 'won') return false;
  job.resources = answer.resources;
  job.acted_above = answer.acted_above;
  job.resource_in_doubt = answer.doubtful;
  return true;
}

const namesResources = ({ state, job }: Claim): boolean => state === 'running' && job.touches.length > 0;
const wantsPair = ({ state, job }: Claim): boolean => state === 'running' && job.authorised.secondary_key !== null;

/** The arbiter in SQL, for one lane. */
export class SqlArbiter implements Arbiter {
  private readonly seen = new sql.SeenGenerations();

  constructor(
    private readonly store: Store,
    private readonly lane: string,
    private readonly nowMs: () => number,
  ) {}

  async claim(epoch: number, claims: readonly Claim[]): Promise<ReadonlySet<Job>> {
    const won = new Set<Job>();
    const live = claims.filter((claim) => claim.state !== 'released' && !wantsPair(claim) && !namesResources(claim));
    const named = claims.filter((claim) => namesResources(claim) && !wantsPair(claim));
    const dead = claims.filter((claim) => claim.state === 'released');
    const ended_at_s = Math.floor(this.nowMs() / 1000);
    const take = (of: readonly Claim[], wins: readonly boolean[]): void => {
      for (const [at, claim] of of.entries()) if (wins[at]) won.add(claim.job);
    };
    if (live.length > 0) take(live, await sql.claim(this.store, epoch, live.map(claimed)));
    if (named.length > 0) {
      const answers = await sql.claimWithResources(this.store, epoch, named.map(namedClaim), this.terms());
      take(
        named,
        answers.map((answer, at) => noteClaimed((named[at] as Claim).job, answer)),
      );
    }
    if (dead.length > 0)
      take(
        dead,
        await sql.tombstones(
          this.store,
          epoch,
          dead.map((claim) => ({ ...claimed(claim), ended_at_s })),
        ),
      );
    for (const claim of claims) if (wantsPair(claim) && (await this.claimBoth(epoch, claim))) won.add(claim.job);
    return won;
  }

  private terms(): sql.ClaimTerms {
    return { seen: this.seen, now_ms: this.nowMs() };
  }

  private async claimBoth(epoch: number, claim: Claim): Promise<boolean> {
    const { job } = claim;
    const secondary_key = job.authorised.secondary_key as ClaimedKey;
    const got = await claimPair(this.store, epoch, { own: namedClaim(claim), secondary_key }, this.terms());
    if (got.claimed) noteClaimed(job, got.claimed);
    job.second_key_taken = got.kind === 'second_taken';
    if (got.kind === 'won') job.secondary_key = { ...secondary_key, attempt: got.attempt };
    return got.kind === 'won';
  }

  async rowsOf(keys: readonly string[]): Promise<ReadonlyMap<string, Execution[]>> {
    const byKey = new Map<string, Execution[]>();
    for (const row of await sql.rowsOfKeys(this.store, [...new Set(keys)])) {
      const rows = byKey.get(row.key);
      if (rows) rows.push(execution(row));
      else byKey.set(row.key, [execution(row)]);
    }
    return byKey;
  }

  async doubtOf(call_id: string): Promise<DoubtfulRows | undefined> {
    const [row, second] = await sql.doubtsOfCall(this.store, uuidOf(call_id));
    const secondary_key = second ? { idempotency_key: second.key, attempt: second.attempt, discriminating_digest: '' } : null;
    return row && { key: row.key, attempt: row.attempt, secondary_key, end_offset: row.end_offset };
  }

  async fold(ends: readonly FoldedEnd[], closed: readonly string[], progress: readonly Progress[]): Promise<void> {
    const statements: sql.Statement[] = [];
    const own = ends.filter(({ state }) => state !== 'compensated');
    const undone = ends.filter(({ state }) => state === 'compensated');
    if (own.length > 0)
      statements.push(
        ...sql.foldEndsStatements(
          own.map(({ key, attempt, call_id, state, end_offset, ended_at_ms, resources }) => ({
            key,
            attempt,
            call_uuid: uuidOf(call_id),
            state: codes[state] as sql.EndState,
            end_offset,
            ended_at_s: Math.floor(ended_at_ms / 1000),
            resources,
          })),
        ),
      );
    // After the ends that they undo, which may be in the same batch.
    if (undone.length > 0) statements.push(sql.compensateStatement(undone));
    if (closed.length > 0) statements.push(sql.closeApprovalsStatement(closed));
    if (progress.length > 0) statements.push(sql.progressStatement(progress));
    if (statements.length > 0) await this.store.atomically(statements, 'background');
  }

  async isClosed(approval_id: string): Promise<boolean> {
    return sql.isApprovalClosed(this.store, approval_id);
  }

  async refoldApprovals(used: readonly { approval_id: string; call_id: string }[], closed: readonly string[]): Promise<void> {
    await sql.restoreUses(
      this.store,
      used.map(({ approval_id, call_id }) => ({ approval_id, call_uuid: uuidOf(call_id) })),
    );
    if (closed.length > 0) await this.store.query(sql.closeApprovalsStatement(closed));
  }

  async fenceExpired(own_epoch: number): Promise<void> {
    await sql.fenceExpired(this.store, this.lane, own_epoch);
  }

  async orphans(partition: number): Promise<OrphanRow[]> {
    return (await sql.orphans(this.store, this.lane, partition)).map(orphan);
  }

  async takeOver(epoch: number, rows: readonly OrphanRow[]): Promise<readonly OrphanRow[]> {
    const taken = await sql.takeOver(this.store, epoch, rows as never);
    const got = new Set(taken.map(sql.executionId));
    return rows.filter((row) => got.has(sql.executionId(row)));
  }

  async forget(epoch: number, row: OrphanRow): Promise<void> {
    await sql.forgetClaim(this.store, epoch, { key: row.key, attempt: row.attempt, call_uuid: uuidOf(row.call_id) });
  }

  async progressOf(partition: number): Promise<Progress[]> {
    return sql.readProgress(this.store, this.lane, partition);
  }

  async refold(rows: readonly RefoldedRow[]): Promise<void> {
    await sql.restore(
      this.store,
      rows.map(({ call_id, state, source, ended_at_ms, resources, ...row }) => ({
        ...row,
        call_uuid: uuidOf(call_id),
        state: codes[state],
        digest8: 0,
        source_topic: topicCode(source.topic),
        source_offset: source.offset,
        ended_at_s: ended_at_ms === null ? null : Math.floor(ended_at_ms / 1000),
        resources: resources && sql.resourcesText(resources),
      })),
    );
  }

  async refoldDigests(digests: readonly { key: string; call_id: string; digest8: number }[]): Promise<void> {
    await sql.foldDigests(
      this.store,
      digests.map(({ key, call_id, digest8: digest }) => ({ key, call_uuid: uuidOf(call_id), digest8: digest })),
    );
  }
}
