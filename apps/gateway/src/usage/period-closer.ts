import { type UsagePeriod, usagePeriodOf } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import { type BillingPeriod, periodBefore } from './billing-period.js';
import type { PeriodAnnouncer } from './period-announcer.js';
import type { UsageTables } from './usage-tables.js';

const TURN_MS = 60_000;
/** Exceeds the clock skew of brokers and gateways: no later record of the month can arrive after it. */
const GRACE_MS = 10 * 60_000;

/** Closes each tenant's month of usage on the log, once it is over and completely folded. */
export class PeriodCloser {
  private timer: NodeJS.Timeout | undefined;
  private working = Promise.resolve();

  constructor(
    private readonly configuration: Pick<ConfigurationService, 'state' | 'writer' | 'clock'>,
    private readonly tables: UsageTables,
    private readonly announcer: PeriodAnnouncer,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.turn(), TURN_MS);
    this.timer.unref();
    this.turn();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.working;
  }

  private turn(): void {
    this.working = this.working
      .then(() => this.checkNow())
      .catch((cause: unknown) =>
        this.logger.warn({ event: 'usage_period_not_closed', cause: String(cause) }, 'could not close months of usage: retry in 60 s'),
      );
  }

  /** Closes and announces what is due now. Public for tests with a manual clock. */
  async checkNow(): Promise<void> {
    const { state, clock } = this.configuration;
    const period = periodBefore(clock.now_ms());
    for (const tenant_id of await this.tables.tenantsOf(period)) {
      if (!usagePeriodOf(state, tenant_id, period.period)) await this.closed(tenant_id, period);
    }
    for (const [tenant_id, { usage_periods }] of this.configuration.state.by_tenant)
      for (const closed of usage_periods?.values() ?? []) if (!closed.told) this.announcer.announce(tenant_id, closed);
  }

  /** The closed month; closes it if it is due. Undefined if it is not over or not completely folded. */
  async closed(tenant_id: string, period: BillingPeriod): Promise<UsagePeriod | undefined> {
    const { clock, writer } = this.configuration;
    const known = usagePeriodOf(this.configuration.state, tenant_id, period.period);
    if (known) return known;
    if (clock.now_ms() < period.ends_at_ms + GRACE_MS || !(await this.tables.isFoldedWhole())) return undefined;
    const totals = await this.tables.totals(tenant_id, period);
    const fields = { period: period.period, ...totals, told: false, closed_at_ms: clock.now_ms() };
    await writer.set(tenant_id, 'usage_period_closed', fields);
    const closed = usagePeriodOf(this.configuration.state, tenant_id, period.period);
    if (closed) this.announcer.announce(tenant_id, closed);
    return closed;
  }
}
