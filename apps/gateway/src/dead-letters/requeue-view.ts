import type { EventCodec, EventMap } from '@countersign/contracts';
import type { EventLog, LogRecord } from '@countersign/event-log';

/** The place of a record on the log. */
export type Place = Pick<EventMap['dead_letter_requeued'], 'source_topic' | 'source_partition' | 'source_offset'>;

/** An operator's command to handle a dead letter again. */
export interface Requeue {
  command: EventMap['dead_letter_requeued'];
  /** When the log took it. */
  at_ms: number;
  offset: number;
}

const TOPIC = 'operator-command';
const BATCH_RECORDS = 200;
/** Of the newest commands: an older requeue is forgotten, as is its dead letter. */
const RECORDS_MAX = 20_000;
const REQUEUES_MAX = 5_000;

/** The requeues of dead letters, in memory: read from the log on request, each record once. */
export class RequeueView {
  private readonly by_letter = new Map<string, Requeue>();
  private readonly by_offset = new Map<number, Requeue>();
  private next = 0;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly log: Pick<EventLog, 'head' | 'first' | 'read'>,
    private readonly codec: Pick<EventCodec, 'decode'>,
  ) {}

  /** Reads everything that is on the log now. @throws InfrastructureFault if the log is unavailable. */
  async caughtUp(): Promise<void> {
    await this.reading?.catch(() => undefined);
    this.reading ??= this.catchUp().finally(() => {
      this.reading = undefined;
    });
    await this.reading;
  }

  /** The first requeue of a dead letter: those of requests at the same time count for nothing. */
  of(letter_id: string): Requeue | undefined {
    return this.by_letter.get(letter_id);
  }

  /** The requeue at this offset: a command that could not be carried out is a dead letter of its own. */
  at(offset: number): Requeue | undefined {
    return this.by_offset.get(offset);
  }

  /** Whether the log still has the record. */
  async isOnLog({ source_topic, source_partition, source_offset }: Place): Promise<boolean> {
    const first = await this.log.first(source_topic, source_partition);
    return source_offset >= first && source_offset < (await this.log.head(source_topic, source_partition));
  }

  private async catchUp(): Promise<void> {
    const head = await this.log.head(TOPIC, 0);
    this.next = Math.max(this.next, await this.log.first(TOPIC, 0), head - RECORDS_MAX);
    while (this.next < head) {
      const records = await this.log.read(TOPIC, 0, this.next, BATCH_RECORDS);
      if (records.length === 0) return;
      for (const record of records) this.note(record);
      this.next = (records.at(-1) as LogRecord).offset + 1;
    }
  }

  private note({ offset, value, timestamp_ms: at_ms }: LogRecord): void {
    const command = this.decoded(value);
    if (!command) return;
    const requeue = { command, at_ms, offset };
    this.by_offset.set(offset, requeue);
    if (!this.by_letter.has(command.letter_id)) this.by_letter.set(command.letter_id, requeue);
    for (const map of [this.by_offset, this.by_letter] as Map<unknown, Requeue>[])
      if (map.size > REQUEUES_MAX) map.delete(map.keys().next().value);
  }

  /** Undefined if the record is no requeue: skipped, as every other reader does. */
  private decoded(value: Buffer): Requeue['command'] | undefined {
    try {
      const { event_type, event } = this.codec.decode(value);
      return event_type === 'dead_letter_requeued' ? (event as Requeue['command']) : undefined;
    } catch {
      return undefined;
    }
  }
}
