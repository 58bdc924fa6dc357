import type { EventBatch, OwnedPartitions, PartitionOwner, TopicOffset } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import { SagaPartition, type SagaPerformer } from './saga-partition.js';
import { SagaRecords } from './saga-records.js';
import { SagaReplay, type SagaSource } from './saga-replay.js';
import type { SagaRequest, SagaRequests } from './saga-requests.js';
import { SagaWriter } from './saga-writer.js';

/** Opens the partitions of this process from their own records, and passes them their requests. */
export class SagaPartitions implements PartitionOwner {
  constructor(
    private readonly owned: OwnedPartitions<SagaPartition>,
    private readonly source: SagaSource,
    private readonly requests: SagaRequests,
    private readonly performer: SagaPerformer,
    private readonly terms: { now_ms: () => number; logger: Pick<Logger, 'warn' | 'error'> },
  ) {}

  assigned(lane: string, numbers: readonly number[]): Promise<TopicOffset[]> {
    return this.owned.assign(lane, numbers, (_, number) => this.open(lane, number));
  }

  revoked(lane: string, numbers: readonly number[]): Promise<void> {
    return this.owned.revoke(lane, numbers);
  }

  /** Resolves when the requests have their answers on the log. Ignores a batch of a partition that was revoked meanwhile. */
  async handle({ lane, partition, events }: EventBatch): Promise<void> {
    const decided: Promise<void>[] = [];
    for (const event of events) {
      const owner = this.owned.at(lane, partition);
      if (!owner) return;
      // The start offset of a group may be before the first request without an answer.
      if (event.offset < owner.input_offset) continue;
      decided.push(owner.submit(await this.requests.workOf(owner, event as SagaRequest)));
    }
    await Promise.all(decided);
  }

  private async open(lane: string, number: number): Promise<SagaPartition> {
    const { terms } = this;
    const start = await SagaReplay.run(this.source, lane, number);
    const writer = new SagaWriter(this.source.log, terms.logger, start.output_offset);
    const opened = new SagaPartition(start, new SagaRecords(this.source.codec, lane, number), writer, this.performer, {
      ...terms,
      onInterleaved: () => void this.reopen(lane, number),
    });
    opened.recover();
    return opened;
  }

  /** Another process wrote to the partition: its state is read from the log again. */
  private async reopen(lane: string, number: number): Promise<void> {
    try {
      await this.assigned(lane, [number]);
    } catch (cause) {
      this.terms.logger.error(
        { event: 'saga_partition_not_reread', lane, partition: number, cause: String(cause) },
        'cannot read a partition of sagas again: its sagas stand still until it is assigned again',
      );
    }
  }
}
