import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyEvent, crashPoint, InfrastructureFault } from '@countersign/contracts';
import type { EventLog, NewRecord } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import type { RulingHashes } from './ruling-hashes.js';

/** An event that is being appended, with its record. */
export interface Outgoing {
  published: AnyEvent;
  record: NewRecord;
}

export interface WriterOptions {
  /** Maximum of concurrent appends. One journal keeps their order. */
  in_flight_max: number;
  /** Maximum of records that wait for the log; beyond it new decisions wait too. */
  pending_records_max: number;
  /** Gives records that are appended again a place after all later decisions. */
  restamp(outgoing: Outgoing): Outgoing;
  logger: Pick<Logger, 'warn'>;
}

interface Flight {
  outgoing: readonly Outgoing[];
  state: 'flying' | 'landed' | 'failed';
  offsets: readonly number[];
}

interface Mark {
  written: number;
  done(positions: ReadonlyMap<string, number>): void;
}

const BACKOFF_MS = [20, 50, 100, 250, 500, 1000, 2000];

/**
 * Appends the decisions of one partition in order. Decisions run ahead of the log but keep its order: if an append fails, it and all later
 * decisions are appended again in the same order until the log accepts them, and no more than `pending_records_max` decisions wait
 * meanwhile. A repeat on the log is harmless (the first one counts), a gap would not be.
 */
export class PartitionWriter {
  private queue: Outgoing[] = [];
  private flights: Flight[] = [];
  private failing = false;
  private stopped = false;
  private attempts = 0;
  private others = false;
  private enqueued = 0;
  private written = 0;
  private marks: Mark[] = [];
  private waiters: (() => void)[] = [];

  constructor(
    private readonly log: EventLog,
    private readonly options: WriterOptions,
    /**
     * The partition's own output topics, each with the offset after the last record that is known to be on the log. Excludes shared
     * topics.
     */
    private readonly positions: Map<string, number>,
    private readonly hashes: Pick<RulingHashes, 'written'>,
  ) {}

  enqueue(outgoing: readonly Outgoing[]): void {
    if (outgoing.length === 0) return;
    this.enqueued += outgoing.length;
    this.queue = this.queue.length === 0 ? [...outgoing] : this.queue.concat(outgoing);
    this.pump();
  }

  /** Resolves when another decision may be made. @throws InfrastructureFault if the writer stops first. */
  async waitForCapacity(): Promise<void> {
    while (!this.stopped && this.enqueued - this.written >= this.options.pending_records_max) await this.progress();
    if (this.stopped) throw new InfrastructureFault('this process no longer writes the partition');
  }

  /** Resolves when everything enqueued so far is on the log, or the writer is stopped. */
  async drained(): Promise<void> {
    const target = this.enqueued;
    while (!this.stopped && this.written < target) await this.progress();
  }

  /** The positions right after everything enqueued so far, once it is on the log. */
  mark(): Promise<ReadonlyMap<string, number>> {
    if (this.written === this.enqueued) return Promise.resolve(new Map(this.positions));
    return new Promise((done) => this.marks.push({ written: this.enqueued, done }));
  }

  /**
   * True if other records are between its own on the log: a repeat of its own record, or records of a member that has lost the partition
   * and does not know it yet. Its state and positions are then no consistent cut and must not become a snapshot.
   */
  get isInterleaved(): boolean {
    return this.others;
  }

  stop(): void {
    this.stopped = true;
    this.wake();
  }

  private progress(): Promise<void> {
    return new Promise((done) => this.waiters.push(done));
  }

  private wake(): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const done of waiters) done();
  }

  private pump(): void {
    if (this.failing || this.stopped || this.queue.length === 0 || this.flights.length >= this.options.in_flight_max) return;
    const flight: Flight = { outgoing: this.queue, state: 'flying', offsets: [] };
    this.queue = [];
    this.flights.push(flight);
    this.log.append(flight.outgoing.map(({ record }) => record)).then(
      (offsets) => this.landed(flight, offsets),
      (cause: unknown) => this.failed(flight, cause),
    );
  }

  private landed(flight: Flight, offsets: number[]): void {
    crashPoint('policy.after_ruling');
    flight.state = 'landed';
    flight.offsets = offsets;
    while (this.flights[0]?.state === 'landed') this.account(this.flights.shift() as Flight);
    if (this.failing) {
      this.retryWhenSettled();
      return;
    }
    this.attempts = 0;
    this.wake();
    this.pump();
  }

  private account({ outgoing, offsets }: Flight): void {
    for (let i = 0; i < outgoing.length; i++) {
      const { published, record } = outgoing[i] as Outgoing;
      const { topic } = record;
      const offset = offsets[i] as number;
      this.hashes.written(published, record, offset);
      const expected = this.positions.get(topic);
      if (expected !== undefined) this.positions.set(topic, offset + 1);
      if (expected !== undefined && offset !== expected) this.others = true;
      this.written++;
      while (this.marks[0]?.written === this.written) (this.marks.shift() as Mark).done(new Map(this.positions));
    }
  }

  private failed(flight: Flight, cause: unknown): void {
    this.failing = true;
    flight.state = 'failed';
    this.options.logger.warn(
      { event: 'rulings_not_written', cause: String(cause), records: flight.outgoing.length },
      'cannot write rulings to the log; retrying',
    );
    this.retryWhenSettled();
  }

  private retryWhenSettled(): void {
    if (this.flights.some((flight) => flight.state === 'flying')) return;
    const pause_ms = BACKOFF_MS[Math.min(this.attempts++, BACKOFF_MS.length - 1)] as number;
    void sleep(pause_ms, undefined, { ref: false }).then(() => this.again());
  }

  private again(): void {
    const all = [...this.flights.flatMap((flight) => flight.outgoing), ...this.queue];
    this.flights = [];
    this.failing = false;
    this.queue = this.stopped ? all : all.map((outgoing) => this.options.restamp(outgoing));
    this.wake();
    this.pump();
  }
}
