import { callTopics, laneTopic } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { hasPassed, projectionPosition, readBuilds, type Store, tenantsWithUsage } from '@countersign/store';
import { type BillingTotals, billingTotals } from './billing.js';
import type { BillingPeriod } from './billing-period.js';

const USAGE = 'usage';

/** The usage tables and their log positions. */
export class UsageTables {
  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly lanes: readonly string[],
  ) {}

  tenantsOf({ from_day, to_day }: BillingPeriod): Promise<string[]> {
    return tenantsWithUsage(this.store, from_day, to_day);
  }

  totals(tenant_id: string, period: BillingPeriod): Promise<BillingTotals> {
    return billingTotals(this.store, tenant_id, period);
  }

  /** True if the visible tables contain everything on the log now. */
  async isFoldedWhole(): Promise<boolean> {
    const heads = await Promise.all(this.lanes.flatMap((lane) => callTopics.flatMap((name) => this.headsOf(laneTopic(name, lane)))));
    if (!(await readBuilds(this.store)).some(({ projection, state }) => projection === USAGE && state === 'live')) return false;
    return hasPassed(
      await projectionPosition(this.store),
      heads.filter(({ offset }) => offset >= 0),
    );
  }

  private headsOf(topic: string): Promise<{ topic: string; partition: number; offset: number }>[] {
    return Array.from({ length: this.log.partitions(topic) }, async (_, partition) => ({
      topic,
      partition,
      offset: (await this.log.head(topic, partition)) - 1,
    }));
  }
}
