import { InfrastructureFault } from '@countersign/contracts';
import type { EventBatch, OwnedPartitions, PartitionOwner, TopicOffset } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import { Rereads } from './rereads.js';
import { SagaPartition, type SagaPerformer } from './saga-partition.js';
import { SagaRecords } from './saga-records.js';
import { SagaReplay, type SagaSource } from './saga-replay.js';
import type { SagaRequest, SagaRequests } from './saga-requests.js';
import { SagaWriter } from './saga-writer.js';

/** Opens the partitions of this process from their own records, and passes them their requests. */
export class SagaPartitions implements PartitionOwner {
  private readonly rereads: Rereads;

  constructor(
    private readonly owned: OwnedPartitions<SagaPartition>,
    private readonly source: SagaSource,
    private readonly requests: SagaRequests,
    private readonly performer: SagaPerformer,
    private readonly terms: { now_ms: () => number; logger: Pick<Logger, 'warn' | 'error'> },
  ) {
    this.rereads = new Rereads(terms.logger);
  }

  async assigned(lane: string, numbers: readonly number[]): Promise<TopicOffset[]> {
    await this.rereads.stop(lane, numbers);
    return this.assign(lane, numbers);
  }

  async revoked(lane: string, numbers: readonly number[]): Promise<void> {
    const stopped = this.rereads.stop(lane, numbers);
    await this.owned.revoke(lane, numbers);
    await stopped;
    // A reread may have opened one meanwhile.
    await this.owned.revoke(lane, numbers);
  }

  async close(): Promise<void> {
    await this.rereads.stopAll();
    await this.owned.closeAll();
  }

  /**
   * Resolves when the requests have their answers on the log. Ignores a batch of a partition that was revoked meanwhile.
   * @throws InfrastructureFault while the partition is read again: the batch must come again
   */
  async handle({ lane, partition, events }: EventBatch): Promise<void> {
    const owner = this.owned.at(lane, partition);
    if (owner && (await this.decided(owner, events as readonly SagaRequest[]))) return;
    if (this.rereads.has(lane, partition) || this.owned.at(lane, partition))
      throw new InfrastructureFault('the partition is being read again: its requests wait');
  }

  /** Whether all requests have their answers: a partition that was closed meanwhile has decided none or some. */
  private async decided(owner: SagaPartition, requests: readonly SagaRequest[]): Promise<boolean> {
    const submitted: Promise<void>[] = [];
    for (const request of requests) {
      // The start offset of a group may be before the first request without an answer.
      if (request.offset < owner.input_offset) continue;
      submitted.push(owner.submit(await this.requests.workOf(owner, request)));
    }
    await Promise.all(submitted);
    return requests.every(({ offset }) => offset < owner.input_offset);
  }

  private assign(lane: string, numbers: readonly number[]): Promise<TopicOffset[]> {
    return this.owned.assign(lane, numbers, (_, number) => this.open(lane, number));
  }

  private async open(lane: string, number: number): Promise<SagaPartition> {
    const start = await SagaReplay.run(this.source, lane, number);
    const writer = new SagaWriter(this.source.log, this.terms.logger, start.output_offset);
    const opened = new SagaPartition(start, new SagaRecords(this.source.codec, lane, number), writer, this.performer, {
      ...this.terms,
      // Another process wrote to the partition: its state is read from the log again.
      onInterleaved: () => this.rereads.begin(lane, number, () => this.assign(lane, [number])),
    });
    opened.recover();
    return opened;
  }
}
