import { newestRecords } from '@countersign/calls';
import { laneTopic, sagaKey, type TopicEvents } from '@countersign/contracts';
import type { EventLog, LogBatch, Recorded, RunningSubscription } from '@countersign/event-log';
import type { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import type { LogPosition } from '@countersign/store';
import { SagaWatch } from './saga-watch.js';

export type SagaRecord = Extract<Recorded, { event_type: TopicEvents['compensation']['event_type'] }>;

/** Takes the records of one saga. */
export interface SagaReader {
  /** Whether it wants a record with these headers: others are not decoded for it. */
  wants(headers: Readonly<Record<string, string>>): boolean;
  take(at: SagaRecord): void;
}

const BATCH_RECORDS_MAX = 500;

/** Shows waiting requests the new records of their sagas. Decodes only what they want. */
export class SagaWatches {
  private readonly watches = new Map<string, Set<SagaReader>>();
  /** The newest record of each topic and partition that was taken. */
  private readonly taken = new Map<string, LogPosition>();
  private running: RunningSubscription | undefined;

  constructor(
    private readonly log: Pick<EventLog, 'follow' | 'partitions' | 'head' | 'first'>,
    private readonly decoder: BatchDecoder,
  ) {}

  /** Resolves when new records of these lanes arrive. */
  async start(lanes: readonly string[]): Promise<void> {
    const topics = lanes.map((lane) => laneTopic('compensation', lane));
    this.running = await this.log.follow({
      topics,
      visibility: 'durable',
      batch_records_max: BATCH_RECORDS_MAX,
      from: 'head',
      onBatch: (batch) => this.take(batch),
    });
    await this.running.caughtUp();
    await Promise.all(topics.map((topic) => this.noteHeads(topic)));
  }

  /** The newest records that a watch from now on is not shown: only the views have them. */
  takenBefore(partition: number): LogPosition[] {
    return [...this.taken.values()].filter((at) => at.partition === partition);
  }

  /** Watches a saga from now on. Close the watch. */
  open(tenant_id: string, saga_id: string): SagaWatch {
    const watch: SagaWatch = new SagaWatch(() => stop());
    const stop = this.follow(tenant_id, saga_id, watch);
    return watch;
  }

  /** Shows a reader the records of a saga from now on. @returns ends it */
  follow(tenant_id: string, saga_id: string, reader: SagaReader): () => void {
    const key = sagaKey(tenant_id, saga_id);
    const readers = this.watches.get(key) ?? new Set();
    this.watches.set(key, readers);
    readers.add(reader);
    return () => {
      readers.delete(reader);
      if (readers.size === 0 && this.watches.get(key) === readers) this.watches.delete(key);
    };
  }

  async close(): Promise<void> {
    await this.running?.close();
  }

  private async noteHeads(topic: string): Promise<void> {
    const partitions = Array.from({ length: this.log.partitions(topic) }, (_, partition) => newestRecords(this.log, [topic], partition));
    for (const at of (await Promise.all(partitions)).flat()) this.note(at);
  }

  private note({ topic, partition, offset }: LogPosition): void {
    const key = `${topic}/${partition}`;
    if ((this.taken.get(key)?.offset ?? -1) < offset) this.taken.set(key, { topic, partition, offset });
  }

  private isWanted({ key, headers }: LogBatch['records'][number]): boolean {
    const readers = key === null ? undefined : this.watches.get(key);
    return readers !== undefined && [...readers].some((reader) => reader.wants(headers));
  }

  private async take(batch: LogBatch): Promise<void> {
    for (const record of batch.records.slice(-1)) this.note(record);
    if (this.watches.size === 0) return;
    const records = batch.records.filter((record) => this.isWanted(record));
    if (records.length === 0) return;
    const { events } = await this.decoder.decode(records);
    for (const at of events as SagaRecord[]) {
      const { meta, saga_id } = at.event;
      for (const watch of this.watches.get(sagaKey(meta.tenant_id, saga_id)) ?? []) watch.take(at);
    }
  }
}
