import { type EventCodec, leafHashText, parseCallId, parseTopic } from '@countersign/contracts';
import type {
  EventBatch,
  EventLog,
  OwnedPartitions,
  PartitionOwner,
  PoisonRecord,
  SchemaSource,
  TopicOffset,
} from '@countersign/event-log';
import type { DecisionService } from '../rulings/decision-service.js';
import { replayOutputs } from './output-replay.js';
import type { PartitionServices } from './partition-services.js';
import { RulingPartition } from './ruling-partition.js';
import { loadSnapshot, type SnapshotRows } from './snapshots.js';

export interface PartitionSource {
  log: EventLog;
  codec: EventCodec;
  schemas?: SchemaSource | undefined;
  snapshots: SnapshotRows;
}

/** Opens the partitions of this process from their own output, and passes them their records. */
export class RulingPartitions implements PartitionOwner {
  constructor(
    private readonly owned: OwnedPartitions<RulingPartition>,
    private readonly source: PartitionSource,
    private readonly decisions: DecisionService,
    private readonly services: PartitionServices,
  ) {}

  assigned(lane: string, numbers: readonly number[]): Promise<TopicOffset[]> {
    return this.owned.assign(lane, numbers, (_, number) => this.open(lane, number));
  }

  private async open(lane: string, number: number): Promise<RulingPartition> {
    const start = await replayOutputs(this.source, lane, number, await loadSnapshot(this.source.snapshots, lane, number));
    await this.decisions.limits.open(start, start.state.limits);
    const opened = new RulingPartition(start, this.decisions, this.services, this.source);
    try {
      opened.completeGrants();
    } catch (cause) {
      await opened.close();
      throw cause;
    }
    return opened;
  }

  revoked(lane: string, numbers: readonly number[]): Promise<void> {
    return this.owned.revoke(lane, numbers);
  }

  /** Ignores a batch of a partition that was revoked meanwhile: its next owner starts from the partition's output. */
  async handle(batch: EventBatch): Promise<void> {
    await this.owned.at(batch.lane, batch.partition)?.handle(batch);
  }

  async poison({ record, event }: PoisonRecord): Promise<void> {
    const { topic, lane } = parseTopic(record.topic);
    const partition = this.owned.at(lane, record.partition);
    if (event) return partition?.refuse(event);
    if (topic !== 'tool-call-requested' || record.headers.event_type !== 'tool_call_requested') return;
    const meta = this.source.codec.readMeta(record.value);
    if (!meta?.call_id || parseCallId(meta.call_id)?.partition !== record.partition) return;
    const source = { topic: record.topic, offset: record.offset };
    partition?.refuseUnreadable({ meta, key: record.key, source, traceparent: record.headers.traceparent }, leafHashText(record));
  }
}
