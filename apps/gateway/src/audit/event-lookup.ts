import { peekMeta, timeOfId } from '@countersign/contracts';
import type { EventLog, LogRecord } from '@countersign/event-log';
import { CLOCK_SLACK_MS } from './log-merge.js';

export interface LogPartition {
  topic: string;
  partition: number;
}

const READ_AT_ONCE = 500;
/** Maximum of records read to find one id; beyond it the caller must narrow the query. */
const RECORDS_MAX = 2_000_000;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const anyRecord = (_: LogRecord): boolean => true;

/** The timestamp of a UUIDv7 in epoch ms; undefined for any other text. */
const madeAt = (event_id: string): number | undefined => (UUID_V7.test(event_id) ? timeOfId(event_id) : undefined);

/**
 * Finds a record by its event_id without an index. The id contains its creation time, the append follows soon after, and partitions are
 * ordered by time. The search windows widen: seconds, minutes, then all later records.
 */
export class EventLookup {
  constructor(private readonly log: EventLog) {}

  /** `is`: which of the records with this id, if it was written twice. `too_far`: not found within the maximum of records that one query may read. */
  async find(
    event_id: string,
    tenant_id: string,
    partitions: readonly LogPartition[],
    is = anyRecord,
  ): Promise<LogRecord | 'too_far' | undefined> {
    const made_ms = madeAt(event_id);
    if (made_ms === undefined) return undefined;
    const budget = { left: RECORDS_MAX };
    const windows = [
      { from_ms: made_ms - 1_000, to_ms: made_ms + 5_000 },
      { from_ms: made_ms - CLOCK_SLACK_MS, to_ms: made_ms + 5 * CLOCK_SLACK_MS },
      { from_ms: made_ms - CLOCK_SLACK_MS, to_ms: Number.POSITIVE_INFINITY },
    ];
    for (const window of windows) {
      const found = await Promise.all(
        partitions.map((at) =>
          this.inPartition(at, (record) => peekMeta(record.value)?.event_id === event_id && is(record), { ...window, budget }),
        ),
      );
      const record = found.find((each) => each !== undefined);
      if (record) return peekMeta(record.value)?.tenant_id === tenant_id ? record : undefined;
      if (budget.left <= 0) return 'too_far';
    }
    return undefined;
  }

  private async inPartition(
    { topic, partition }: LogPartition,
    is: (record: LogRecord) => boolean,
    { from_ms, to_ms, budget }: { from_ms: number; to_ms: number; budget: { left: number } },
  ): Promise<LogRecord | undefined> {
    for (let offset = await this.log.since(topic, partition, from_ms); budget.left > 0; ) {
      const records = await this.log.read(topic, partition, offset, READ_AT_ONCE);
      const last = records.at(-1);
      if (!last) return undefined;
      const found = records.find(is);
      if (found) return found;
      if (last.timestamp_ms > to_ms) return undefined;
      budget.left -= records.length;
      offset = last.offset + 1;
    }
    return undefined;
  }
}
