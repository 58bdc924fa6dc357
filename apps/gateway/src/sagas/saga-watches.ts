import { laneTopic, sagaKey, type TopicEvents } from '@countersign/contracts';
import type { EventLog, LogBatch, Recorded, RunningSubscription } from '@countersign/event-log';
import type { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import { mayAnswer, SagaWatch } from './saga-watch.js';

export type SagaRecord = Extract<Recorded, { event_type: TopicEvents['compensation']['event_type'] }>;

const BATCH_RECORDS_MAX = 500;

/** Shows waiting requests the new records of their sagas. Decodes only answers to watched sagas. */
export class SagaWatches {
  private readonly watches = new Map<string, Set<SagaWatch>>();
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
    const key = sagaKey(tenant_id, saga_id);
    const watches = this.watches.get(key) ?? new Set();
    this.watches.set(key, watches);
    const watch = new SagaWatch(() => {
      watches.delete(watch);
      if (watches.size === 0 && this.watches.get(key) === watches) this.watches.delete(key);
    });
    watches.add(watch);
    return watch;
  }

  async close(): Promise<void> {
    await this.running?.close();
  }

  private async take(batch: LogBatch): Promise<void> {
    if (this.watches.size === 0) return;
    const records = batch.records.filter(({ key, headers }) => key !== null && this.watches.has(key) && mayAnswer(headers));
    if (records.length === 0) return;
    const { events } = await this.decoder.decode(records);
    for (const at of events as SagaRecord[]) {
      const { meta, saga_id } = at.event;
      for (const watch of this.watches.get(sagaKey(meta.tenant_id, saga_id)) ?? []) watch.take(at);
    }
  }
}
