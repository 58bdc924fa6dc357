import type { EventLog } from '@countersign/event-log';
import { type Store, straddled, TRUST_BUCKET, type TrustBound, type TrustCut, type TrustQuery } from '@countersign/store';

/** A past moment: a time, or the moment at which a record was appended. */
export type PastMoment = { at_ms: number } | { topic: string; partition: number; offset: number };

/**
 * Finds the records that existed at a past moment. In the partition of a named record these are exactly the records up to it; in the
 * others those that the log had appended by then, according to their timestamps.
 */
export class PastTrust {
  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
  ) {}

  /** Undefined: the record does not exist. @throws if the log has no such topic or partition. */
  async bound(query: TrustQuery, moment: PastMoment): Promise<TrustBound | undefined> {
    const at_ms = 'at_ms' in moment ? moment.at_ms : await this.timeOf(moment.topic, moment.partition, moment.offset);
    if (at_ms === undefined) return undefined;
    const cuts: TrustCut[] = [];
    for (const { topic, partition, next_offset } of await straddled(this.store, query, at_ms))
      cuts.push({ topic, partition, next_offset: await this.firstAfter(topic, partition, next_offset, at_ms) });
    const others = 'at_ms' in moment ? cuts : cuts.filter((cut) => cut.topic !== moment.topic || cut.partition !== moment.partition);
    const own = 'at_ms' in moment ? [] : [{ topic: moment.topic, partition: moment.partition, next_offset: moment.offset + 1 }];
    const timeOf = async (topic: string, partition: number, offset: number) => (await this.timeOf(topic, partition, offset)) ?? at_ms;
    return { at_ms, cuts: [...others, ...own], timeOf };
  }

  private async timeOf(topic: string, partition: number, offset: number): Promise<number | undefined> {
    const [record] = await this.log.read(topic, partition, offset, 1);
    return record?.offset === offset ? record.timestamp_ms : undefined;
  }

  /** The first record from an offset on that is later than a time; the end of the bucket if none is. */
  private async firstAfter(topic: string, partition: number, from: number, at_ms: number): Promise<number> {
    const end = from + TRUST_BUCKET;
    for (let next = from; next < end; ) {
      const records = await this.log.read(topic, partition, next, end - next);
      const later = records.find(({ timestamp_ms }) => timestamp_ms > at_ms);
      if (later) return later.offset;
      const last = records.at(-1);
      if (!last) break;
      next = last.offset + 1;
    }
    return end;
  }
}
