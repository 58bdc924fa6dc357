import { BatchDecoder, type LogRecord } from '@countersign/event-log';
import type { AppDeps } from '@countersign/process';
import { schemasOf } from './bundled-schemas.js';

export interface RecordPlace {
  topic: string;
  partition: number;
  offset: number;
}

/** Reads log records by position. */
export class PlacedRecords {
  private readonly decoder: BatchDecoder;

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas'>,
    /** Topics whose records are listed and proven. */
    private readonly topics: ReadonlySet<string>,
  ) {
    this.decoder = new BatchDecoder(deps.codec, deps.schemas);
  }

  /** Records of any tenant from a position on; `first`: the first that was not dropped. Undefined if there is no such partition. */
  async page({ topic, partition, offset }: RecordPlace, records_max: number): Promise<{ first: number; records: LogRecord[] } | undefined> {
    const { log } = this.deps;
    if (!this.topics.has(topic) || partition >= log.partitions(topic)) return undefined;
    const first = Math.max(offset, await log.first(topic, partition));
    if (first >= (await log.head(topic, partition))) return { first, records: [] };
    return { first, records: await log.read(topic, partition, first, records_max) };
  }

  /** The schemas of these values, by id. */
  schemasOf(values: readonly Buffer[]): Record<string, string> {
    return schemasOf(this.deps.codec, values);
  }

  /** The record at a position if it belongs to this tenant, else undefined. */
  async read(tenant_id: string, { topic, partition, offset }: RecordPlace): Promise<LogRecord | undefined> {
    const { log } = this.deps;
    if (!this.topics.has(topic) || partition >= log.partitions(topic)) return undefined;
    if (offset >= (await log.head(topic, partition))) return undefined;
    const [record] = await log.read(topic, partition, offset, 1);
    if (!record || record.offset !== offset) return undefined;
    const { events } = await this.decoder.decode([record]);
    return events[0]?.event.meta.tenant_id === tenant_id ? record : undefined;
  }
}
