import { producerTopics } from '@countersign/contracts';
import type { EventLog, RunningSubscription } from '@countersign/event-log';
import type { ProducerIntake } from './producer-intake.js';
import { CONSUMER } from './rejected-records.js';

const BATCH_RECORDS_MAX = 256;

/**
 * Reads the requests of one producer in a group of its own, so that no other producer waits for it: gateways share the partitions, and one
 * reads each. What is committed is done; what was read and not committed is read again.
 */
export class ProducerReader {
  private readonly owned = new Set<number>();
  private running: RunningSubscription | undefined;
  private closed = false;

  constructor(
    private readonly log: Pick<EventLog, 'subscribe'>,
    private readonly producer_id: string,
    private readonly intake: ProducerIntake,
  ) {}

  /** @throws InfrastructureFault if the log is unavailable */
  async start(): Promise<void> {
    const topic = producerTopics(this.producer_id).requests;
    const reads = (partition: number) => !this.closed && this.owned.has(partition);
    this.running = await this.log.subscribe({
      group: `${CONSUMER}.${this.producer_id}`,
      topics: [topic],
      visibility: 'durable',
      batch_records_max: BATCH_RECORDS_MAX,
      onAssigned: async (partitions) => {
        for (const partition of partitions) this.owned.add(partition);
        return [];
      },
      onRevoked: async (partitions) => {
        for (const partition of partitions) this.owned.delete(partition);
      },
      onBatch: (batch) => this.intake.take(batch, reads, (offset) => this.running?.commit([{ topic, partition: batch.partition, offset }])),
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.running?.close();
  }
}
