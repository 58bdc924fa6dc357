import type { Message } from 'kafkajs';
import type { NewRecord } from '../event-log.js';

/** More bytes than this for one partition are sent in several batches, which then do not become visible together. */
export const PART_BYTES_MAX = 4 * 1024 * 1024;
/** Size limit of a record: the topic's `max.message.bytes` minus the overhead of batch and headers. */
const RECORD_BYTES_MAX = 7 * 1024 * 1024;
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;
const OVERHEAD_BYTES = 96;

/** The records of one append that are sent to one partition together. */
export interface AppendPart {
  call: AppendCall;
  topic: string;
  partition: number;
  messages: Message[];
  /** The index of each record in the caller's list. */
  places: number[];
  bytes: number;
}

/** One append: settles once, when all its parts are acknowledged or the first one failed. */
export class AppendCall {
  readonly promise: Promise<number[]>;
  readonly parts: AppendPart[] = [];
  failed = false;
  private readonly offsets: number[];
  private waiting = 0;
  private resolve!: (offsets: number[]) => void;
  private reject!: (fault: Error) => void;

  constructor(
    private readonly records: readonly NewRecord[],
    readonly since_ms: number,
  ) {
    this.offsets = new Array<number>(records.length);
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.split(records);
    this.waiting = this.parts.length;
    if (this.waiting === 0) this.resolve(this.offsets);
  }

  /** `appended_at_ms`: undefined for a topic whose records have the time of their producer. */
  acknowledge(part: AppendPart, base: number, appended_at_ms: number | undefined): void {
    for (const [index, place] of part.places.entries()) {
      this.offsets[place] = base + index;
      if (appended_at_ms !== undefined) (this.records[place] as NewRecord).appended_at_ms = appended_at_ms;
    }
    if (--this.waiting === 0 && !this.failed) this.resolve(this.offsets);
  }

  fail(fault: Error): void {
    this.failed = true;
    this.reject(fault);
  }

  private split(records: readonly NewRecord[]): void {
    const open = new Map<string, AppendPart>();
    for (const [place, record] of records.entries()) {
      const bytes = record.value.length + OVERHEAD_BYTES;
      if (bytes > RECORD_BYTES_MAX)
        throw new RangeError(`a record of ${record.value.length} bytes is too large; the limit is ${RECORD_BYTES_MAX} bytes`);
      const key = `${record.topic}/${record.partition}`;
      let part = open.get(key);
      if (!part || part.bytes + bytes > PART_BYTES_MAX) {
        part = { call: this, topic: record.topic, partition: record.partition, messages: [], places: [], bytes: 0 };
        open.set(key, part);
        this.parts.push(part);
      }
      part.messages.push({ key: record.key, value: record.value, headers: record.headers, partition: record.partition });
      part.places.push(place);
      part.bytes += bytes;
    }
  }
}
