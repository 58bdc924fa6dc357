import { SHARED_LANE } from '@countersign/contracts';
import { BatchDecoder, type LogRecord } from '@countersign/event-log';
import { type AppDeps, coveredTopicSpecs } from '@countersign/process';

/** The lanes that a signer must cover: its own, and those of every tenant, whichever process folds them. */
export class CoveredLanes {
  private readonly lanes: Set<string>;
  private readonly decoder: BatchDecoder;

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas'>,
    lanes: readonly string[],
    private readonly partitions: number,
  ) {
    this.lanes = new Set([SHARED_LANE, ...lanes]);
    this.decoder = new BatchDecoder(deps.codec, deps.schemas);
  }

  /** All topics of these lanes, and the global topics. */
  async topics(): Promise<string[]> {
    const specs = coveredTopicSpecs([...this.lanes], this.partitions);
    await this.deps.log.ensureTopics(specs);
    return specs.map(({ name }) => name);
  }

  /** Reads records of `configuration-changed`. True if one names a lane that was not covered. */
  async learn(records: readonly LogRecord[]): Promise<boolean> {
    const before = this.lanes.size;
    const { events } = await this.decoder.decode(records.filter(({ headers }) => headers.event_type === 'tenant_set'));
    for (const at of events) if (at.event_type === 'tenant_set') this.lanes.add(at.event.lane);
    return this.lanes.size > before;
  }
}
