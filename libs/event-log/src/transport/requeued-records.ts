import type { EventMap } from '@countersign/contracts';
import type { EventLog } from '../event-log.js';
import type { BatchDecoder } from './batch-decoder.js';
import type { Recorded } from './event-batch.js';

/** Reads the records that operators handed to one consumer again, each at its place on the log. */
export class RequeuedRecords {
  constructor(
    private readonly log: Pick<EventLog, 'read'>,
    private readonly decoder: Pick<BatchDecoder, 'learn' | 'once'>,
    private readonly consumer: string,
  ) {}

  /**
   * Undefined if another consumer is meant. @throws InfrastructureFault if the log is unavailable. @throws Error if the record is no longer
   * on the log or is no event: the command becomes a dead letter, which says so.
   */
  async eventOf(command: EventMap['dead_letter_requeued']): Promise<Recorded | undefined> {
    if (command.consumer !== this.consumer) return undefined;
    const { source_topic, source_partition, source_offset } = command;
    const place = `${source_topic}/${source_partition}/${source_offset}`;
    const [record] = await this.log.read(source_topic, source_partition, source_offset, 1);
    if (record?.offset !== source_offset) throw new Error(`the requeued record ${place} is no longer on the log`);
    await this.decoder.learn([record]);
    const event = this.decoder.once(record);
    if (!event) throw new Error(`the requeued record ${place} cannot be decoded`);
    return event;
  }
}
