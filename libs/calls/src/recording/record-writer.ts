import type { EventLog, NewRecord } from '@countersign/event-log';

/** Receives the result of one write. */
export interface WriteSink {
  /** The record is durable. */
  written(offset: number): void;
  /** The state of the record is unknown: it may be on the log. */
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

  /** Promise form of `add`. @throws the error of the log. */
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
