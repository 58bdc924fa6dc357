import { isBusy } from '@countersign/domain';
import type { EventBatch, LogContext, PoisonRecord, TopicOffset } from '@countersign/event-log';
import { jobOf, unreadableJob } from './calls/authorised.js';
import type { JobEvent } from './calls/job-event.js';
import type { LaneParts } from './lane-parts.js';
import { Partition } from './partitions/partition.js';

const TICK_MS = 20;
const FOLD_TICKS = 10;
const TAIL_TICKS = 5;
const SWEEP_TICKS = 50;
const DRAIN_MS = 5000;

/** The execution of one lane: takes rulings and grants, and sees to it that each effect happens once. */
export class LaneExecutor {
  private timer: NodeJS.Timeout | undefined;
  private ticks = 0;
  /** What was looked at when waiting calls were last swept. */
  private standings = 0;
  private readonly background = new Map<string, Promise<void>>();
  private closing = false;

  constructor(private readonly parts: LaneParts) {
    parts.lease.on('lost', () => this.detachAll());
  }

  get ready(): boolean {
    return this.parts.lease.held && !this.parts.judge.silent;
  }

  /** For metrics and tests. */
  get load(): { waiting: number; running: number; open: number } {
    return { waiting: this.parts.queue.waiting, running: this.parts.queue.running, open: this.parts.open.size };
  }

  async start(): Promise<void> {
    await this.parts.lease.start();
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.timer.unref();
  }

  assigned(numbers: readonly number[]): Promise<TopicOffset[]> {
    return this.parts.partitions.assign(this.parts.options.lane, numbers, (lane, number) => this.open(lane, number));
  }

  /** Learns what ended and from where on things may still fire, before the first ruling of the partition is read. */
  private async open(lane: string, number: number): Promise<Partition> {
    const { arbiter, reader, deps } = this.parts;
    const progress = await arbiter.progressOf(number);
    const history = new Map<string, number>();
    // Embedded, progress may outlive rulings that were not synced when the process was killed; their places are given anew.
    for (const { topic, history_below } of progress) history.set(topic, Math.min(history_below, await deps.log.head(topic, number)));
    const partition = new Partition(lane, number, history);
    partition.next_end = progress.length === 0 ? 0 : Math.min(...progress.map((row) => row.ends_from));
    await reader.learnRecent(partition);
    this.handleAll(await reader.catchUp(partition));
    return partition;
  }

  /** What waits is read again by the next owner; what runs is finished here. */
  async revoked(numbers: readonly number[]): Promise<void> {
    const { partitions, open, options, pipeline } = this.parts;
    const revoking = partitions.revoke(options.lane, numbers);
    for (const number of numbers) {
      const { awaiting_remote_outcome } = partitions.get(options.lane, number);
      this.giveUpWaiting(number);
      for (const waiting of awaiting_remote_outcome.values()) for (const job of waiting) pipeline.handle(job, 'revoked');
      awaiting_remote_outcome.clear();
      open.forget(options.lane, number);
    }
    await revoking;
  }

  /** Calls that wait here, and those that wait for them, are left to whoever reads them again. */
  private giveUpWaiting(number: number): void {
    const { pipeline, dispatcher, options } = this.parts;
    for (const job of dispatcher.drop(options.lane, number)) pipeline.handle(job, 'revoked');
  }

  /** The lease is lost: what may have fired is its successor's to settle, what has not waits for the next lease. */
  private detachAll(): void {
    this.handleAll([...this.parts.open.all()].map((job) => ({ job, event: 'lease_lost' })));
  }

  private handleAll(happened: Iterable<JobEvent>): void {
    for (const jobEvent of happened) this.parts.pipeline.handleGuarded(jobEvent);
  }

  async handleBatch(batch: EventBatch, context: LogContext): Promise<void> {
    const { commits, time, deps, decryptor, intake, pipeline, dispatcher, options } = this.parts;
    commits.note(batch, context);
    const last = batch.events.at(-1);
    if (last && last.offset + 1 >= batch.head) time.observe(last.timestamp_ms, deps.clock.now_ms());
    await decryptor.prepare(batch);
    for (const { job, event } of intake.read(batch)) pipeline.handle(job, event);
    this.pump();
    await dispatcher.room(options.waiting_max);
  }

  /** No handler could take the record: its call ends without having fired. */
  poison({ record, event }: PoisonRecord): void {
    const { intake, options, deps, pipeline } = this.parts;
    const jobEvent = intake.poison(options.lane, record, event ? jobOf(event) : unreadableJob(record, options.lane, deps.codec));
    if (jobEvent) pipeline.handle(jobEvent.job, jobEvent.event);
  }

  /** Gives free slots to those that wait. */
  private pump(): void {
    const { dispatcher, pipeline, lease } = this.parts;
    if (lease.check()) for (const job of dispatcher.slots()) pipeline.handle(job, 'slot_given');
    dispatcher.wake();
  }

  private tick(): void {
    const { lease, runs } = this.parts;
    this.ticks++;
    if (lease.check()) this.work();
    // What runs keeps to its time, whatever the store says of the lease.
    else if (lease.unproven) this.handleAll(runs.due());
    if (this.ticks % FOLD_TICKS === 0) this.once('fold', () => this.parts.progress.write());
  }

  private work(): void {
    const { runs, gate, dispatcher } = this.parts;
    this.handleAll(gate.due().map((job) => ({ job, event: 'look_again' })));
    this.handleAll(runs.due());
    const longReads = runs.longReads();
    if (longReads.length > 0) this.once('reads', () => this.parts.claims.keepReading(longReads));
    const { standing_changes } = this.parts.configuration.state;
    if (standing_changes !== this.standings) this.handleAll(dispatcher.sweep());
    this.standings = standing_changes;
    if (dispatcher.hasDue) this.once('parked', () => this.lookAtParked());
    this.pump();
    if (this.ticks % SWEEP_TICKS === 0) this.once('sweep', () => this.takeOver());
    if (this.ticks % TAIL_TICKS === 0) this.once('tail', () => this.readTails(this.ticks % SWEEP_TICKS === 0));
  }

  private async takeOver(): Promise<void> {
    for await (const jobEvent of this.parts.takeover.sweep()) this.parts.pipeline.handleGuarded(jobEvent);
  }

  /** Background work, one of a kind at a time; a fault is told and the next tick tries again. */
  private once(name: string, work: () => Promise<void>): void {
    if (this.background.has(name)) return;
    const running = work()
      .catch((cause) =>
        this.parts.deps.logger.warn(
          { work: name, cause: cause instanceof Error ? cause.stack : String(cause) },
          'background work failed; tried again',
        ),
      )
      .finally(() => this.background.delete(name));
    this.background.set(name, running);
  }

  /** What ended here is in its row before those that waited for it claim again. */
  private async lookAtParked(): Promise<void> {
    await this.parts.progress.write();
    this.handleAll(this.parts.dispatcher.parkedDue().map((job) => ({ job, event: 'pause_over' })));
    this.pump();
  }

  private async readTails(every: boolean): Promise<void> {
    for (const partition of this.parts.partitions.toRead(every)) this.handleAll(await this.parts.reader.catchUp(partition));
  }

  /** Finishes what runs (for a while), then gives up the lease: another executor goes on from there. */
  async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    const { lease, open, ends, runs, partitions, deps } = this.parts;
    for (const partition of partitions.assigned()) this.giveUpWaiting(partition.number);
    const until = deps.clock.monotonic_ms() + DRAIN_MS;
    const busy = () => ends.outstanding > 0 || [...open.all()].some((job) => isBusy(job.stage));
    while (busy() && (lease.check() || lease.unproven) && deps.clock.monotonic_ms() < until)
      await new Promise((resolve) => setTimeout(resolve, 10));
    clearInterval(this.timer);
    await Promise.all(this.background.values());
    for (const job of open.all()) runs.drop(job, 'closing');
    await this.parts.progress.write().catch((cause) => deps.logger.warn({ cause: String(cause) }, 'the last progress was not written'));
    await lease.close();
  }
}
