import type { CallEvent } from '../../execution/life/events.js';
import { afterLostClaim } from '../../execution/lost-claim.js';
import { ProcessState } from './process-state.js';
import type { SimulatedJob } from './simulated-job.js';
import { DIGEST, type World } from './world.js';

/** A pending query. */
export interface Task {
  job: SimulatedJob;
  /** Its next step: returns another step, or the event with the answer. */
  step: () => Task['step'] | CallEvent | undefined;
}

const TERMS = { key_source: 'header' as const, names: 'nothing' as const, has_verify: false };

/** Claims rows for one executor process, and handles lost claims. */
export abstract class Claiming extends ProcessState {
  epoch: number;
  assigned = false;

  constructor(world: World) {
    super(world);
    this.epoch = world.nextEpoch();
  }

  /** True if the process may fire or end a call now. */
  abstract check(): boolean;

  protected claim(job: SimulatedJob): Task['step'] | CallEvent | undefined {
    if (job.stage !== 'claiming') return undefined;
    if (job.unanswered === null && !this.assigned) return 'not_owner';
    if (!this.check()) return 'lease_missing';
    const { epoch, world } = this;
    const closed = !job.refused && this.isClosed(job);
    if (job.unanswered === null && closed) return 'owned_elsewhere';
    const won = world.claim(epoch, job.ruling, {
      attempt: job.attempt,
      state: job.refused ? 'released' : 'running',
      source: job.sources[0] as number,
    });
    if (world.random.oneIn(15)) {
      job.unanswered = epoch;
      return () => this.claim(job);
    }
    // The answer takes time: the lease may be lost, and another one acquired, before it arrives.
    return () => (won ? this.won(job, epoch) : job.stage === 'claiming' ? this.conflict(job, epoch) : undefined);
  }

  private won(job: SimulatedJob, epoch: number): CallEvent {
    job.epoch = epoch;
    job.lease = epoch;
    job.claimed = true;
    return 'claim_won';
  }

  private conflict(job: SimulatedJob, epoch: number): CallEvent {
    const next = afterLostClaim(
      {
        call_id: job.ruling.call_id,
        discriminating_digest: DIGEST,
        requested_at_ms: 0,
        joined_call_id: null,
        terms: TERMS,
        window_ms: Number.POSITIVE_INFINITY,
        epoch,
        unanswered_epoch: job.unanswered,
      },
      this.world.rowsOf(job.ruling.key),
    );
    switch (next.kind) {
      case 'won':
        job.attempt = next.attempt;
        return this.won(job, epoch);
      case 'attempt':
        job.attempt = next.attempt;
        return 'claim_again';
      case 'tombstoned':
        job.claimed = true;
        job.refused = true;
        job.verdict = { kind: 'ended', state: 'released' };
        return 'verdict_reached';
      case 'ended':
      case 'owned_elsewhere':
        return 'owned_elsewhere';
    }
    if (job.refused) {
      job.verdict = { kind: 'ended', state: 'released' };
      return 'verdict_reached';
    }
    job.leader = 'call_id' in next ? next.call_id : null;
    return next.kind === 'join' ? this.join(job) : 'answer_recorded';
  }

  private join(job: SimulatedJob): CallEvent {
    const leader = this.open.get(job.leader as string);
    const leads = leader && leader !== job && leader.stage !== 'joined' && leader.stage !== 'awaiting_remote';
    return leads ? 'local_leader_found' : 'remote_leader_found';
  }

  protected readAnswer(job: SimulatedJob): CallEvent {
    if (!this.world.endOf(job.leader as string)) return this.join(job);
    job.verdict = { kind: 'answered', of: job.leader as string };
    return 'verdict_reached';
  }
}
