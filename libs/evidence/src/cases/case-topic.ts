import { CASES_TOPIC, type CaseCovered, type EventCodec, firstMeta } from '@countersign/contracts';
import type { EventLog, LogRecord, SchemaSource } from '@countersign/event-log';
import { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import { BrokenRecord } from '../trees/broken-record.js';

const EVENT_TYPE = 'case_covered';
const HEADERS = { event_type: EVENT_TYPE };

/** One leaf of the tree of cases: what a checkpoint entry adds to a case. */
export type NewCaseLeaf = Omit<CaseCovered, 'meta'> & { tenant_id: string };

/** A leaf on the log. `offset`: its index in the tree. */
export type CaseLeaf = NewCaseLeaf & { offset: number };

/** The topic with the leaves of cases, in the order of entries. A leaf may be there twice, with equal fields. */
export class CaseTopic {
  readonly decoder: BatchDecoder;

  constructor(
    private readonly log: EventLog,
    private readonly codec: EventCodec,
    schemas?: SchemaSource,
  ) {
    this.decoder = new BatchDecoder(codec, schemas);
  }

  /** Returns the offsets, once all leaves are durable. */
  append(leaves: readonly NewCaseLeaf[], now_ms: number): Promise<number[]> {
    return this.log.append(
      leaves.map(({ tenant_id, ...leaf }) => ({
        topic: CASES_TOPIC,
        partition: 0,
        key: null,
        value: this.codec.encode(EVENT_TYPE, { meta: firstMeta(tenant_id, now_ms), ...leaf }),
        headers: HEADERS,
      })),
    );
  }

  /** Number of leaves on the log. */
  head(): Promise<number> {
    return this.log.head(CASES_TOPIC, 0);
  }

  /** The first leaf that was written at this time or later. */
  since(time_ms: number): Promise<number> {
    return this.log.since(CASES_TOPIC, 0, time_ms);
  }

  /** `generation`: of the tree that judges them. @throws BrokenRecord for a record that is no leaf */
  async read(from: number, leaves_max: number, generation: number): Promise<CaseLeaf[]> {
    const records = await this.records(from, leaves_max);
    return records.map((record) => this.leafOf(record, generation));
  }

  async records(from: number, records_max: number): Promise<LogRecord[]> {
    const records = await this.log.read(CASES_TOPIC, 0, from, records_max);
    await this.decoder.learn(records);
    return records;
  }

  /** @throws BrokenRecord */
  leafOf(record: LogRecord, generation: number): CaseLeaf {
    const at = this.decodedLeaf(record);
    if (!at) throw brokenLeaf(record.offset, generation, 'is not the leaf of a case');
    return caseLeaf(record.offset, at);
  }

  private decodedLeaf(record: LogRecord): CaseCovered | undefined {
    try {
      const at = this.decoder.once(record);
      return at?.event_type === EVENT_TYPE ? at.event : undefined;
    } catch {
      return undefined;
    }
  }
}

/** A leaf from which the signer cannot go on: a decision about it lets the tree of cases begin again. */
export function brokenLeaf(offset: number, generation: number, what: string): BrokenRecord {
  const place = { topic: CASES_TOPIC, partition: 0, first_offset: offset, last_offset: offset, generation };
  return new BrokenRecord(`${CASES_TOPIC} offset ${offset} ${what}`, place);
}

export function caseLeaf(offset: number, { meta: { tenant_id }, ...leaf }: CaseCovered): CaseLeaf {
  return { ...leaf, tenant_id, offset };
}
