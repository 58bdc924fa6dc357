import type { EventLog, NewRecord } from '@countersign/event-log';

/** What a writer of one record wants to know. */
export interface WriteSink {
  /** It is durable. */
  written(offset: number): void;
  /** It may or may not be on the log. */
  failed(cause: unknown): void;
}

/** Collects the records of one turn of the event loop into one append. */
export class RecordWriter {
  private records: NewRecord[] = [];
  private sinks: WriteSink[] = [];

  constructor(private readonly log: EventLog) {}

  add(record: NewRecord, sink: WriteSink): void {
    if (this.records.push(record) === 1) setImmediate(() => this.flush());
    this.sinks.push(sink);
  }

  /** The same for those who would rather wait. @throws what the log threw. */
  write(record: NewRecord): Promise<number> {
    return new Promise((written, failed) => this.add(record, { written, failed }));
  }

  private flush(): void {
    const { records, sinks } = this;
    this.records = [];
    this.sinks = [];
    this.log.append(records).then(
      (offsets) => {
        for (let i = 0; i < sinks.length; i++) sinks[i]?.written(offsets[i] as number);
      },
      (cause) => {
        for (const sink of sinks) sink.failed(cause);
      },
    );
  }
}
