import { tenantOf } from '@countersign/domain';
import type { OwnedPartitions } from '@countersign/event-log';
import type { Configuration, Logger } from '@countersign/process';
import { listUnknownLateEffects, type Sql, type UnknownLateEffect } from '@countersign/store';
import { LRUCache } from 'lru-cache';
import { readSagaFromLog } from '../partitions/read-saga.js';
import type { SagaPartition } from '../partitions/saga-partition.js';
import type { SagaSource } from '../partitions/saga-replay.js';

/** How often the views are read, ms: such effects are rare, and a person decides about each. */
const LOOK_EVERY_MS = 5_000;
const FOUND_MAX = 100;
/** How long the views may take to show what a saga was told, ms. */
const TOLD_FOR_MS = 60_000;

/**
 * Tells sagas of calls that took effect although they had ended without one, so that a ticket opens; also sagas that ended. The views find
 * them, so that nothing is lost in a crash: they are found until the saga has recorded the evidence.
 */
export class LateEffects {
  private readonly told = new LRUCache<string, true>({ max: 10 * FOUND_MAX, ttl: TOLD_FOR_MS });
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly views: Sql,
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly owned: OwnedPartitions<SagaPartition>,
    private readonly source: SagaSource,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.looking ??= this.look().finally(() => {
        this.looking = undefined;
      });
    }, LOOK_EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    try {
      for (const found of await listUnknownLateEffects(this.views, FOUND_MAX)) if (!this.told.has(keyOf(found))) await this.tell(found);
    } catch (cause) {
      this.logger.warn({ event: 'late_effects_not_read', cause: String(cause) }, 'cannot look for late effects of sagas; trying again');
    }
  }

  /** Only the owner of the partition of a saga tells it. */
  private async tell(found: UnknownLateEffect): Promise<void> {
    const { tenant_id, saga_id, call_id, partition: number } = found;
    const tenant = tenantOf(this.configuration.state, tenant_id);
    const partition = tenant && this.owned.at(tenant.lane, number);
    if (!partition) return;
    const order = { kind: 'evidence', of_call_id: call_id, direction: 'forward', happened: true } as const;
    const work = { tenant_id, saga_id, order, cause: null };
    if (!partition.has(work)) {
      const ended = await readSagaFromLog(this.source, { ...found, lane: tenant.lane });
      if (ended) partition.reopen(ended);
    }
    if (partition.has(work)) await partition.submit(work);
    this.told.set(keyOf(found), true);
  }
}

const keyOf = ({ tenant_id, call_id }: UnknownLateEffect): string => `${tenant_id}/${call_id}`;
