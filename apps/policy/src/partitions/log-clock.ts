import { LogTime } from '@countersign/process';

/** The time of decisions: this process's clock, corrected by the log timestamps of records at the head of a partition. */
export class LogClock {
  private readonly time = new LogTime();

  constructor(private readonly own: { now_ms(): number }) {}

  now_ms(): number {
    return this.own.now_ms() + this.time.ahead_ms;
  }

  /** `timestamp_ms`: the log timestamp of a record at the head of its partition. */
  observe(timestamp_ms: number): void {
    this.time.observe(timestamp_ms, this.own.now_ms());
  }
}
