import type { NewRecord } from '@countersign/event-log';
import { type AppDeps, encodeHint } from '@countersign/process';

/** Notifies callers of durable records, if that is faster than reading the log. */
export class RecordedEnds {
  constructor(
    private readonly wake_ups: AppDeps['wake_ups'],
    private readonly lane: string,
  ) {}

  publish(records: readonly NewRecord[], offsets: readonly number[]): void {
    if (!this.wake_ups.is_ahead_of_log) return;
    this.wake_ups.publish(
      this.lane,
      records.map((record, at) => encodeHint(offsets[at] as number, record.value)),
    );
  }
}
