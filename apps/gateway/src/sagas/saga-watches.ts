import { laneTopic, sagaKey, type TopicEvents } from '@countersign/contracts';
import type { EventLog, LogBatch, Recorded, RunningSubscription } from '@countersign/event-log';
import type { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
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
  private running: RunningSubscription | undefined;

  constructor(
    private readonly log: Pick<EventLog, 'follow'>,
    private readonly decoder: BatchDecoder,
  ) {}

  /** Resolves when new records of these lanes arrive. */
  async start(lanes: readonly string[]): Promise<void> {
    this.running = await this.log.follow({
      topics: lanes.map((lane) => laneTopic('compensation', lane)),
      visibility: 'durable',
      batch_records_max: BATCH_RECORDS_MAX,
      from: 'head',
      onBatch: (batch) => this.take(batch),
    });
    await this.running.caughtUp();
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

  private isWanted({ key, headers }: LogBatch['records'][number]): boolean {
    const readers = key === null ? undefined : this.watches.get(key);
    return readers !== undefined && [...readers].some((reader) => reader.wants(headers));
  }

  private async take(batch: LogBatch): Promise<void> {
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
