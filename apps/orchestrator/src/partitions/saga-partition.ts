import { laneTopic } from '@countersign/contracts';
import type { OwnedPartition, TopicOffset } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import { LRUCache } from 'lru-cache';
import { keyOfSaga, type OpenSaga } from '../sagas/open-saga.js';
import type { SagaWork } from '../sagas/saga-work.js';
import { FairInbox } from './fair-inbox.js';
import type { PartitionStart } from './partition-start.js';
import type { SagaRecords } from './saga-records.js';
import { SagaRound } from './saga-round.js';
import type { Appended, SagaWriter } from './saga-writer.js';

/** Commands of one round: the records of a round are one append. */
const ROUND_MAX = 200;
const ENDED_MAX = 50_000;
/** Evaluations of a saga one after the other in one round: skipped steps and branches follow each other without a call. */
const EVALUATIONS_MAX = 20;
const UNWRITABLE = 'the records of this request are larger than the log accepts: pass large data by reference';

/** Performs what sagas need after their records are durable. */
export interface SagaPerformer {
  /**
   * Evaluates conditions and inputs that a saga needs now: that causes nothing outside, so the answers are decided in the same round. Those that
   * take long are submitted later.
   */
  evaluated(partition: SagaPartition, sagas: Iterable<OpenSaga>): Promise<SagaWork[]>;
  /** Compares what the saga needs with what runs for it: starts and stops the difference. */
  perform(partition: SagaPartition, saga: OpenSaga): void;
  /** The command that answers an effect is on the record: the effect may be needed again. */
  answered(work: SagaWork): void;
  /** The saga ended, or its partition was revoked: stops everything that runs for it. */
  forget(saga: OpenSaga): void;
}

/** The open sagas of one partition. Commands are decided in rounds: decide, append, then perform. */
export class SagaPartition implements OwnedPartition {
  readonly lane: string;
  readonly number: number;
  readonly sagas: Map<string, OpenSaga>;
  /** Sagas that changed or ended since the last snapshot. */
  readonly unsaved = new Set<string>();
  private readonly ended: LRUCache<string, true>;
  private readonly inputs_from: number;
  private readonly opened_offset: number;
  private readonly inbox = new FairInbox();
  private running: Promise<void> | undefined;
  private closed = false;
  /** The first request that is not decided yet. */
  input_offset: number;
  /** The offset after the newest record of its sagas that their durable states contain. */
  output_offset: number;

  constructor(
    start: PartitionStart,
    private readonly records: SagaRecords,
    private readonly writer: SagaWriter,
    private readonly performer: SagaPerformer,
    private readonly terms: {
      now_ms: () => number;
      logger: Pick<Logger, 'warn' | 'error'>;
      onInterleaved: (partition: SagaPartition) => void;
    },
  ) {
    this.lane = start.lane;
    this.number = start.partition;
    this.sagas = start.sagas;
    this.input_offset = start.input_offset;
    this.inputs_from = start.input_offset;
    this.ended = new LRUCache({ max: ENDED_MAX });
    this.opened_offset = start.output_offset;
    this.output_offset = start.output_offset;
    for (const key of start.ended) this.ended.set(key, true);
  }

  resumeFrom(): readonly TopicOffset[] {
    return [{ topic: laneTopic('saga-requested', this.lane), partition: this.number, offset: this.inputs_from }];
  }

  /** Sagas that ended before this offset may be known to the views alone. */
  get forgotten_offset(): number {
    return this.ended.size < ENDED_MAX ? this.opened_offset : this.output_offset;
  }

  /** Decides what a crash may have cut off, and performs what every saga needs. */
  recover(): void {
    for (const { tenant_id, saga_id } of this.sagas.values())
      void this.submit({ tenant_id, saga_id, order: { kind: 'recovered' }, cause: null });
  }

  /** Whether the saga has not ended. */
  has(saga: Pick<OpenSaga, 'tenant_id' | 'saga_id'>): boolean {
    return this.sagas.has(keyOfSaga(saga));
  }

  /** Takes up a saga that ended, with its state, for the work that is submitted next. */
  reopen(ended: OpenSaga): void {
    if (!this.has(ended)) this.sagas.set(keyOfSaga(ended), ended);
  }

  /** Resolves once the command is decided and its records are durable, or the partition is closed. */
  submit(work: SagaWork): Promise<void> {
    return new Promise((done) => {
      if (this.closed) return done();
      this.inbox.push({ work, done });
      this.running ??= this.run();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.writer.stop();
    for (const saga of this.sagas.values()) this.performer.forget(saga);
    await this.running;
    for (const { done } of this.inbox.take(Number.POSITIVE_INFINITY)) done();
  }

  private async run(): Promise<void> {
    await new Promise(setImmediate);
    while (!this.inbox.isEmpty && !this.closed) {
      const part = this.inbox.take(ROUND_MAX);
      await this.round(part.map(({ work }) => work));
      for (const { done } of part) done();
    }
    this.running = undefined;
  }

  private async round(works: readonly SagaWork[]): Promise<void> {
    const round = this.newRound();
    for (const work of works) this.decide(round, work);
    const all = [...works, ...(await this.evaluate(round))];
    if ((await this.write(round, all)) === 'unwritable') for (const work of all) await this.alone(work);
  }

  /** Decides a command in a round of its own. One whose records the log never accepts leaves its saga as it is; a request is refused. */
  private async alone(work: SagaWork): Promise<void> {
    if (this.closed) return;
    const round = this.newRound();
    this.decide(round, work);
    if ((await this.write(round, [work])) !== 'unwritable') return;
    this.undecidable(work, 'its records are larger than the log accepts');
    if (work.cause && typeof work.order !== 'string') await this.alone({ ...work, order: UNWRITABLE });
  }

  private newRound(): SagaRound {
    return new SagaRound(this.sagas, this.records, this.terms.now_ms(), (key) => this.ended.has(key));
  }

  /** Appends the records of a round of these commands, then performs what their sagas need. */
  private async write(round: SagaRound, works: readonly SagaWork[]): Promise<Appended> {
    const result = round.records.length === 0 ? 'written' : await this.writer.append(round.records);
    if (result === 'unwritable') round.takeBack();
    if (result === 'unwritable' || result === 'stopped') return result;
    for (const { cause } of works) if (cause) this.input_offset = Math.max(this.input_offset, cause.offset + 1);
    if (result === 'interleaved') this.interleaved();
    else this.performed(round, works);
    return result;
  }

  private performed(round: SagaRound, works: readonly SagaWork[]): void {
    for (const work of works) this.performer.answered(work);
    this.output_offset = this.writer.position;
    for (const saga of round.touched) this.settle(saga);
  }

  /** Decides what follows from the conditions and inputs of the sagas of a round, before its records are written. */
  private async evaluate(round: SagaRound): Promise<SagaWork[]> {
    const all: SagaWork[] = [];
    for (let turn = 0; turn < EVALUATIONS_MAX && !this.closed; turn++) {
      const works = await this.performer.evaluated(this, round.touched);
      if (works.length === 0) break;
      for (const work of works) this.decide(round, work);
      all.push(...works);
    }
    return all;
  }

  /** A defect of the decider leaves the saga as it is; a request is refused, so that it has an answer. */
  private decide(round: SagaRound, work: SagaWork): void {
    try {
      round.decide(work);
    } catch (cause) {
      if (work.cause) round.decide({ ...work, order: 'the request cannot be decided: a defect, see the log of the orchestrator' });
      this.undecidable(work, String(cause));
    }
  }

  private undecidable({ tenant_id, saga_id, order }: SagaWork, cause: string): void {
    const command = typeof order === 'string' ? 'refusal' : order.kind;
    this.terms.logger.error(
      { event: 'saga_decision_failed', tenant_id, saga_id, command, cause },
      'cannot decide a command of a saga: the saga stays as it is',
    );
  }

  private settle(saga: OpenSaga): void {
    const key = keyOfSaga(saga);
    saga.durable = { state: saga.state, hlc: saga.hlc };
    this.unsaved.add(key);
    if (saga.state.ended === null) {
      this.performer.perform(this, saga);
      return;
    }
    this.sagas.delete(key);
    this.ended.set(key, true);
    this.performer.forget(saga);
  }

  /** Another process wrote to the partition: this one reads it again before it decides anything more. */
  private interleaved(): void {
    this.closed = true;
    this.terms.logger.warn(
      { event: 'saga_partition_reread', lane: this.lane, partition: this.number },
      'another process wrote records of this partition: reading it again',
    );
    this.terms.onInterleaved(this);
  }
}
