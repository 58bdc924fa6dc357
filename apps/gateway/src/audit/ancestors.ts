import { callTopics, laneTopic, leafHashText, parseTopic } from '@countersign/contracts';
import { BatchDecoder, type Recorded } from '@countersign/event-log';
import type { AppDeps } from '@countersign/process';
import { EventLookup } from './event-lookup.js';
import type { FoundRecord } from './records-of-calls.js';

/** A call has few ancestors in other calls: the votes on a request that it joined, and the request itself. */
const RECORDS_MAX = 1_000;

/** Finds the records from which those of a bundle follow, by the hashes of their causes. */
export class Ancestors {
  private readonly decoder: BatchDecoder;
  private readonly lookup: EventLookup;

  constructor(parts: Pick<AppDeps, 'log' | 'codec' | 'schemas'>) {
    this.decoder = new BatchDecoder(parts.codec, parts.schemas);
    this.lookup = new EventLookup(parts.log);
  }

  /** The ancestors that are not among these records, in the order of the log of each topic. One that is not found is left out. */
  async of(tenant_id: string, records: readonly FoundRecord[]): Promise<FoundRecord[]> {
    const known = new Set(records.map(({ record }) => leafHashText(record)));
    const found: FoundRecord[] = [];
    for (const { event } of [...records]) await this.before(tenant_id, event, { known, found });
    return found.sort(({ record: a }, { record: b }) => (a.topic === b.topic ? a.offset - b.offset : a.topic < b.topic ? -1 : 1));
  }

  /** Follows the causes of one event until one is known. */
  private async before(tenant_id: string, event: Recorded, into: { known: Set<string>; found: FoundRecord[] }): Promise<void> {
    for (let at: Recorded | undefined = event; at && into.found.length < RECORDS_MAX; ) {
      const { cause_hash } = at.event.meta;
      if (cause_hash == null || into.known.has(cause_hash)) return;
      into.known.add(cause_hash);
      const cause: FoundRecord | undefined = await this.causeOf(tenant_id, at, cause_hash);
      if (cause) into.found.push(cause);
      at = cause?.event;
    }
  }

  private async causeOf(tenant_id: string, at: Recorded, cause_hash: string): Promise<FoundRecord | undefined> {
    const { causation_id, partition } = at.event.meta;
    if (causation_id === null) return undefined;
    const { lane } = parseTopic(at.topic);
    const places = callTopics.map((topic) => ({ topic: laneTopic(topic, lane), partition }));
    const record = await this.lookup.find(causation_id, tenant_id, places, (one) => leafHashText(one) === cause_hash);
    if (!record || record === 'too_far') return undefined;
    const { events } = await this.decoder.decode([record]);
    return events[0] && { record, event: events[0] };
  }
}
