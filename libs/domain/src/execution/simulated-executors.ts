import { callError } from '@countersign/contracts';
import { admit } from './admit.js';
import { lateEnd } from './evidence.js';
import { afterLostClaim } from './lost-claim.js';
import { afterTakeover } from './orphan.js';
import { afterReconcile } from './reconciled.js';
import { meaningOf, type Recovery, type RunResult } from './result.js';
import { digest8, type Execution, type ExecutionState } from './row.js';
import { CLAIMANT, DIGEST, type Entry, HAPPENED, type Member, NO_RETRY, RULING, Seeded, type Work } from './simulated-model.js';

/** What a simulated installation came to. */
export interface Simulated {
  effects: Map<string, number>;
  log: readonly Entry[];
  calls: number;
}

/**
 * Executors on one arbiter and one log, driven by a seed through rulings, repeats, crashes, pauses beyond the lease,
 * takeovers and lost answers, with every decision made by the pure functions of this folder. A small model, not the app:
 * rows and log are exact, SQL and appends are atomic.
 */
export class SimulatedExecutors {
  private readonly random: Seeded;
  private readonly rows: (Execution & { key: string })[] = [];
  private readonly log: Entry[] = [];
  private readonly effects = new Map<string, number>();
  private readonly inFlight: (() => void)[] = [];
  private readonly calls = new Map<string, string>();
  private readonly fenced = new Set<number>();
  private members: Member[] = [];
  private epochs = 0;

  constructor(
    seed: number,
    private readonly recovery: Recovery,
    private readonly keys: number,
    /** Plants a fault, to show that the model would see it. */
    private readonly fault: { counts_too_early: boolean } = { counts_too_early: false },
  ) {
    this.random = new Seeded(seed);
    this.members = [this.join(), this.join()];
  }

  run(steps: number): Simulated {
    for (let step = 0; step < steps; step++) this.step();
    this.heal();
    return { effects: this.effects, log: this.log, calls: this.calls.size };
  }

  private join(): Member {
    return { epoch: ++this.epochs, paused: false, work: [] };
  }

  private step() {
    const member = this.members[this.random.below(this.members.length)] as Member;
    const dice = this.random.below(100);
    if (dice < 22) this.deliver(member, this.random.below(3) === 0 ? this.repeat() : this.newCall());
    else if (dice < 84) this.advance(member);
    else if (dice < 88) this.crash(member);
    else if (dice < 92) member.paused = !member.paused;
    else if (dice < 95) this.fence(member);
    else if (dice < 98) this.takeOver(member);
    else this.inFlight.splice(0, 1)[0]?.();
  }

  private newCall(): string {
    const call = `call-${this.calls.size}`;
    this.calls.set(call, `key-${this.random.below(this.keys)}`);
    return call;
  }

  private repeat(): string {
    return this.calls.size === 0 ? this.newCall() : `call-${this.random.below(this.calls.size)}`;
  }

  /** Any member may get any ruling, as when two own a partition or offsets are reset. */
  private deliver(member: Member, call: string) {
    const key = this.calls.get(call) as string;
    const open = member.work.find((work) => this.calls.get(work.call) === key && work.call !== call);
    const admission = admit(
      { call_id: call, key, ...RULING },
      {
        history: false,
        ended: this.log.some((entry) => entry.call === call && entry.kind !== 'started'),
        open: member.work.some((work) => work.call === call),
        cancelled: false,
        live: open ? { call_id: open.call, digest8: digest8(DIGEST) } : null,
        settled: null,
        window_ms: 0,
        now_ms: 0,
      },
    );
    if (admission.kind === 'fire')
      member.work.push({ call, attempt: 1, epoch: 0, logged: 0, step: 'claim', dead_owner: false, first: true, unanswered: null });
  }

  private advance(member: Member) {
    if (member.paused || member.work.length === 0) return;
    const work = member.work[this.random.below(member.work.length)] as Work;
    switch (work.step) {
      case 'claim':
        return this.claim(member, work);
      case 'start':
        this.log.push({ kind: 'started', call: work.call, epoch: work.epoch });
        work.step = 'fire';
        return;
      case 'fire':
        return this.fire(member, work);
      case 'answer':
        return this.answer(member, work);
      case 'reconcile':
        return this.reconcile(member, work);
    }
  }

  private claim(member: Member, work: Work) {
    if (this.fenced.has(member.epoch)) return this.leave(member, work);
    const key = this.calls.get(work.call) as string;
    const mine = this.rows.filter((row) => row.key === key).sort((a, b) => a.attempt - b.attempt);
    const before = mine.find((row) => row.attempt === work.attempt - 1);
    if (!mine.some((row) => row.attempt === work.attempt) && (work.attempt === 1 || before?.state === 'released')) {
      this.rows.push({
        key,
        attempt: work.attempt,
        call_id: work.call,
        epoch: member.epoch,
        state: 'running',
        digest8: digest8(DIGEST),
        end_offset: null,
        ended_at_ms: null,
        stands: null,
      });
      work.epoch = member.epoch;
      work.logged = member.epoch;
      work.step = 'start';
      if (this.random.below(20) > 0) return;
      work.step = 'claim';
      work.unanswered = member.epoch;
      return;
    }
    const window_ms = Number.POSITIVE_INFINITY;
    const next = afterLostClaim(
      { ...CLAIMANT, call_id: work.call, window_ms, epoch: member.epoch, unanswered_epoch: work.unanswered },
      mine,
    );
    if (next.kind === 'attempt') work.attempt = next.attempt;
    else if (next.kind === 'won') {
      work.epoch = member.epoch;
      work.logged = member.epoch;
      work.step = 'start';
    } else {
      if (next.kind === 'answer') this.log.push({ kind: 'deduplicated', call: work.call, of: next.call_id });
      this.leave(member, work);
    }
  }

  /**
   * The owner looks at its lease as the last step: a member that was fenced while it slept has noticed by then. What was not
   * sent yet may be too late although its start is on the log: it ends, and its key is free.
   */
  private fire(member: Member, work: Work) {
    if (this.fenced.has(work.epoch)) return this.leave(member, work);
    if (work.first && this.random.below(10) === 0) return this.end(member, work, 'released');
    work.first = false;
    const key = this.calls.get(work.call) as string;
    const dice = this.random.below(10);
    const happen = () => {
      if (!this.recovery.takes_key || !this.effects.has(key)) this.effects.set(key, (this.effects.get(key) ?? 0) + 1);
    };
    work.step = 'answer';
    const error = callError('NETWORK_ERROR', 'lost');
    if (dice < 5) {
      happen();
      work.result = { kind: 'output', output_json: '1', truncated: false, warnings: [] };
    } else if (dice < 6) work.result = { kind: 'refused', error, effect: 'none' };
    else if (dice < 7) work.result = { kind: 'lost', error };
    else if (dice < 9 || this.recovery.settle_is_final) {
      happen();
      work.result = { kind: 'lost', error };
    } else {
      this.inFlight.push(happen);
      work.result = { kind: 'lost', error };
    }
  }

  private answer(member: Member, work: Work) {
    const stale = this.fenced.has(work.epoch);
    if (stale && work.result?.kind !== 'output') return this.leave(member, work);
    const meaning = meaningOf(work.result as RunResult, this.recovery, NO_RETRY);
    if (meaning.kind === 'succeeded') this.end(member, work, 'succeeded');
    else if (meaning.kind === 'failed') this.end(member, work, 'released');
    else if (meaning.kind === 'in_doubt') this.end(member, work, 'in_doubt');
    else work.step = 'reconcile';
  }

  private reconcile(member: Member, work: Work) {
    if (this.fenced.has(work.epoch)) return this.leave(member, work);
    const happened = (this.effects.get(this.calls.get(work.call) as string) ?? 0) > 0;
    const asking = {
      asked: 0,
      asks_max: 1,
      owner_dead: work.dead_owner || this.fault.counts_too_early,
      settle_is_final: this.recovery.settle_is_final,
      now_ms: 0,
    };
    const next = afterReconcile(happened ? HAPPENED : { kind: 'did_not_happen' }, asking);
    this.end(member, work, next.kind === 'succeeded' ? 'succeeded' : next.kind === 'failed' ? 'released' : 'in_doubt');
  }

  /** The end goes to the log, and from there to the row by the rule of late ends. */
  private end(member: Member, work: Work, state: ExecutionState) {
    const row = this.rows.find((each) => each.call_id === work.call && each.attempt === work.attempt);
    const started = this.log.findLast((entry) => entry.kind === 'started' && entry.call === work.call);
    this.log.push(
      state === 'in_doubt' ? { kind: 'in_doubt', call: work.call } : { kind: 'executed', call: work.call, epoch: work.logged, state },
    );
    const epoch = started?.kind === 'started' ? started.epoch : null;
    if (row && lateEnd({ state: row.state, started_epoch: epoch }, { epoch: work.logged }).kind !== 'nothing') {
      row.state = state;
      row.end_offset = this.log.length - 1;
    }
    this.leave(member, work);
  }

  private leave(member: Member, work: Work) {
    member.work = member.work.filter((each) => each !== work);
  }

  /** Dies; what it had on the wire may still arrive where the wire outlives it. */
  private crash(member: Member) {
    this.fenced.add(member.epoch);
    this.members = this.members.map((each) => (each === member ? this.join() : each));
  }

  /** Its lease runs out. It notices before it fires again, not before. */
  private fence(member: Member) {
    this.fenced.add(member.epoch);
    if (member.paused) return;
    member.work = member.work.filter((work) => work.step === 'answer');
    member.epoch = ++this.epochs;
  }

  private takeOver(member: Member) {
    if (member.paused || this.fenced.has(member.epoch)) return;
    for (const row of this.rows) {
      if (row.state !== 'running' || !this.fenced.has(row.epoch)) continue;
      const starts = this.log.flatMap((entry) => (entry.kind === 'started' && entry.call === row.call_id ? [entry.epoch] : []));
      const logged = Math.max(member.epoch, row.epoch, ...starts);
      row.epoch = member.epoch;
      const started = starts.length > 0;
      const decision = afterTakeover({ state: row.state, started, ended: false, recovery: this.recovery, resend_before_ms: 1, now_ms: 0 });
      const work: Work = {
        call: row.call_id,
        attempt: row.attempt,
        epoch: member.epoch,
        logged,
        step: 'start',
        dead_owner: false,
        first: decision.kind === 'fire',
        unanswered: null,
      };
      member.work = member.work.filter((each) => each.call !== row.call_id || each.step === 'answer');
      if (decision.kind === 'reconcile') work.step = 'reconcile';
      if (decision.kind === 'in_doubt') this.end(member, work, 'in_doubt');
      else member.work.push(work);
    }
  }

  /** No more faults: everything comes to its end. */
  private heal() {
    for (const happen of this.inFlight.splice(0)) happen();
    for (const member of this.members) member.paused = false;
    for (let round = 0; round < 400; round++) {
      const member = this.members[round % this.members.length] as Member;
      if (this.fenced.has(member.epoch)) {
        member.work = member.work.filter((work) => work.step === 'answer');
        member.epoch = ++this.epochs;
      }
      this.takeOver(member);
      while (member.work.length > 0) this.advance(member);
    }
    for (const call of this.calls.keys()) {
      const member = this.members[0] as Member;
      this.deliver(member, call);
      while (member.work.length > 0) this.advance(member);
    }
  }
}
