import { setTimeout as sleep } from 'node:timers/promises';
import { type EventCodec, parseCallId, parseTopic } from '@countersign/contracts';
import type { EventBatch, EventLog, PoisonRecord, SchemaSource, TopicOffset } from '@countersign/event-log';
import type { RulingDesk } from '../rulings/ruling-desk.js';
import type { DueApproval, PolicyTerms } from './policy-terms.js';
import { refold } from './refold.js';
import { RulingPartition } from './ruling-partition.js';
import { loadSnapshot, type SnapshotRows, saveSnapshot } from './snapshots.js';

const REVOKE_DRAIN_MS = 5000;
/** The wheel is tidied when it holds so many more than there are questions. */
const TURNS_AFTER_CHANGE = 8;
const WHEEL_SLACK = 10_000;

/** The partitions that this process decides for. */
export class Partitions {
  private readonly open = new Map<string, RulingPartition>();
  private standings = -1;
  private turnsLeft = 0;
  private readonly saved = new Map<RulingPartition, number>();

  constructor(
    private readonly io: { log: EventLog; codec: EventCodec; schemas?: SchemaSource | undefined },
    private readonly desk: RulingDesk,
    private readonly rows: SnapshotRows,
    private readonly terms: PolicyTerms,
  ) {}

  /** Folds the partitions' own output again and tells where their inputs go on. */
  async assigned(lane: string, numbers: readonly number[]): Promise<TopicOffset[]> {
    try {
      return await this.opened(lane, numbers);
    } catch (error) {
      // It is tried again, maybe with other numbers: what stayed open would rule on beside its next owner.
      await this.revoked(lane, numbers);
      throw error;
    }
  }

  private async opened(lane: string, numbers: readonly number[]): Promise<TopicOffset[]> {
    const offsets: TopicOffset[] = [];
    for (const partition of numbers) {
      const start = await refold(this.io, lane, partition, await loadSnapshot(this.rows, lane, partition));
      this.leave(this.at(lane, partition));
      await this.desk.limits.open(start, start.state.limits);
      const opened = new RulingPartition(start, this.desk, this.terms, this.io);
      this.open.set(`${lane}/${partition}`, opened);
      opened.completeGrants();
      for (const [topic, offset] of start.inputs) offsets.push({ topic, partition, offset });
    }
    return offsets;
  }

  async revoked(lane: string, numbers: readonly number[]): Promise<void> {
    for (const partition of numbers) {
      const gone = this.at(lane, partition);
      this.open.delete(`${lane}/${partition}`);
      if (gone) await this.finish(gone);
    }
  }

  /** A batch of a partition that went away meanwhile is left to its next owner, who starts from the partition's output. */
  async handle(batch: EventBatch): Promise<void> {
    await this.at(batch.lane, batch.partition)?.handle(batch);
  }

  async poison({ record, event }: PoisonRecord): Promise<void> {
    const { topic, lane } = parseTopic(record.topic);
    const partition = this.at(lane, record.partition);
    if (event) return partition?.refuse(event);
    if (topic !== 'tool-call-requested' || record.headers.event_type !== 'tool_call_requested') return;
    const meta = this.io.codec.readMeta(record.value);
    if (!meta?.call_id || parseCallId(meta.call_id)?.partition !== record.partition) return;
    const source = { topic: record.topic, offset: record.offset };
    partition?.refuseUnreadable({ meta, key: record.key, source, traceparent: record.headers.traceparent });
  }

  at(lane: string, partition: number): RulingPartition | undefined {
    return this.open.get(`${lane}/${partition}`);
  }

  /** What fell due: grants that are over are forgotten; questions past their time end once every vote before that time was read. */
  turn(readVotes: (lane: string) => Promise<void>): void {
    const { wheel } = this.terms;
    this.desk.limits.tend(readVotes);
    const now_ms = this.terms.now_ms();
    const due = wheel.turn(now_ms);
    if (wheel.size > WHEEL_SLACK + 2 * this.openApprovals())
      wheel.retain(({ lane, partition, approval_id }) => this.at(lane, partition)?.state.approvals.has(approval_id) === true);
    for (const { lane, partition, approval_id } of due) {
      this.at(lane, partition)?.forgetGrant(approval_id);
      this.at(lane, partition)?.remind(approval_id);
    }
    const overdue = due.filter(({ lane, partition, approval_id }) => this.at(lane, partition)?.isOverdue(approval_id, now_ms));
    for (const lane of new Set(overdue.map((one) => one.lane))) {
      const ofLane = overdue.filter((one) => one.lane === lane);
      void readVotes(lane).then(
        () => this.expire(ofLane),
        (cause: unknown) => this.later(ofLane, cause),
      );
    }
  }

  /**
   * Looks for waiting calls whose version may not run any more. Once more for a while after a change: a batch that was judged
   * before it may have been said after it.
   */
  withdraw(): void {
    if (this.desk.standings !== this.standings) {
      this.standings = this.desk.standings;
      this.turnsLeft = TURNS_AFTER_CHANGE;
    }
    if (this.turnsLeft === 0) return;
    this.turnsLeft--;
    for (const partition of this.open.values()) partition.withdraw();
  }

  /** Judges waiting calls again that are due. @throws InfrastructureFault: in a later turn. */
  async wake(): Promise<void> {
    await this.desk.limits.deferrals.turn([...this.open.values()]);
  }

  private expire(overdue: readonly DueApproval[]): void {
    for (const { lane, partition, approval_id } of overdue) this.at(lane, partition)?.expire(approval_id);
  }

  private later(overdue: readonly DueApproval[], cause: unknown): void {
    this.terms.warn({ cause: String(cause) }, 'questions past their time end later: not every vote could be read');
    for (const one of overdue) this.terms.wheel.add(this.terms.now_ms(), one);
  }

  /** Saves partitions that handled something since they were saved. A failure costs nothing but reading time. */
  async save(): Promise<void> {
    for (const partition of this.open.values()) {
      const { handled } = partition;
      if ((this.saved.get(partition) ?? 0) === handled) continue;
      this.saved.set(partition, handled);
      await saveSnapshot(this.rows, partition).catch((cause: unknown) => {
        this.terms.warn({ cause: String(cause) }, 'a snapshot of policy was not saved');
      });
    }
  }

  /** Resolves when everything said so far stands on the log. */
  async drained(): Promise<void> {
    await Promise.all([...this.open.values()].map(({ writer }) => writer.drained()));
  }

  openApprovals(): number {
    let count = 0;
    for (const { state } of this.open.values()) count += state.approvals.size;
    return count;
  }

  async close(): Promise<void> {
    await Promise.race([this.save(), sleep(REVOKE_DRAIN_MS, undefined, { ref: false })]);
    await Promise.all([...this.open.values()].map((partition) => this.finish(partition)));
    this.open.clear();
  }

  private leave(partition: RulingPartition | undefined): void {
    partition?.writer.stop();
    if (partition) this.desk.limits.close(partition.state.limits);
  }

  private async finish(partition: RulingPartition): Promise<void> {
    const timer = setTimeout(() => partition.writer.stop(), REVOKE_DRAIN_MS);
    await partition.writer.drained();
    clearTimeout(timer);
    this.leave(partition);
    this.saved.delete(partition);
  }
}
