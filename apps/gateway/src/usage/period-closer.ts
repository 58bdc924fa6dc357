import { type ConfigurationState, type UsagePeriod, usagePeriodOf } from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import type { Clock, Logger } from '@countersign/process';
import { type Store, tenantsWithUsage } from '@countersign/store';
import type { ConfigurationWriter } from '../identity/configuration-writer.js';
import type { Notification } from '../notifications/notification.js';
import { billingTotals } from './billing.js';
import { type BillingPeriod, billingPeriod, periodBefore } from './billing-period.js';
import { isFoldedWhole } from './folded-whole.js';

const TURN_MS = 60_000;
/** Clocks of brokers and gateways are closer together than that: no record of the month comes any more. */
const GRACE_MS = 10 * 60_000;

export interface CloserParts {
  state(): ConfigurationState;
  writer: Pick<ConfigurationWriter, 'set'>;
  /** `done` once every channel that wants it has it, or is given up. */
  tell(notice: Notification, done: () => void): void;
  store: Store;
  log: EventLog;
  lanes: readonly string[];
  clock: Clock;
  logger: Logger;
}

/** Closes each tenant's month of usage once it is over and folded whole, on the record, and tells who wants to bill it. */
export class PeriodCloser {
  private timer: NodeJS.Timeout | undefined;
  private readonly telling = new Set<string>();
  private working = Promise.resolve();

  constructor(private readonly parts: CloserParts) {}

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
      .then(() => this.look())
      .catch((cause: unknown) => this.parts.logger.warn({ cause: String(cause) }, 'months of usage are closed later'));
  }

  /** Closes and tells what is due now. Public for tests that move the clock. */
  async look(): Promise<void> {
    const { state, store, clock } = this.parts;
    const period = periodBefore(clock.now_ms());
    for (const tenant_id of await tenantsWithUsage(store, period.from_day, period.to_day)) {
      if (!usagePeriodOf(state(), tenant_id, period.period)) await this.closed(tenant_id, period);
    }
    for (const [tenant_id, { usage_periods }] of state().by_tenant)
      for (const closed of usage_periods?.values() ?? []) if (!closed.told) this.tell(tenant_id, closed);
  }

  /** The month as it is closed, closing it where it is due; undefined: it is not over, or not all of it is folded yet. */
  async closed(tenant_id: string, period: BillingPeriod): Promise<UsagePeriod | undefined> {
    const { state, store, log, lanes, clock, writer } = this.parts;
    const known = usagePeriodOf(state(), tenant_id, period.period);
    if (known) return known;
    if (clock.now_ms() < period.ends_at_ms + GRACE_MS || !(await isFoldedWhole(log, store, lanes))) return undefined;
    const totals = await billingTotals(store, tenant_id, period);
    const fields = { period: period.period, ...totals, told: false, closed_at_ms: clock.now_ms() };
    await writer.set(tenant_id, 'usage_period_closed', fields);
    const closed = usagePeriodOf(state(), tenant_id, period.period);
    if (closed) this.tell(tenant_id, closed);
    return closed;
  }

  private tell(tenant_id: string, closed: UsagePeriod): void {
    const id = `usage.period_closed/${tenant_id}/${closed.period}`;
    if (this.telling.has(id)) return;
    this.telling.add(id);
    this.parts.tell(noticeOf(id, tenant_id, closed), () => void this.told(id, tenant_id, closed));
  }

  private async told(id: string, tenant_id: string, closed: UsagePeriod): Promise<void> {
    try {
      await this.parts.writer.set(tenant_id, 'usage_period_closed', { ...closed, told: true });
    } catch (cause) {
      this.parts.logger.warn({ cause: String(cause) }, 'a notice went out and may go out once more: the log is away');
    }
    this.telling.delete(id);
  }
}

function noticeOf(
  id: string,
  tenant_id: string,
  { period, lines, corrections, digest, calls, cost_micros, closed_at_ms }: UsagePeriod,
): Notification {
  const { ends_at_ms } = billingPeriod(period) as BillingPeriod;
  const cost_usd = cost_micros / 1e6;
  return {
    id,
    tenant_id,
    type: 'usage.period_closed',
    timestamp_ms: closed_at_ms,
    title: `${period}: ${calls} calls, ${cost_usd} USD`,
    data: {
      period,
      ended_at: new Date(ends_at_ms).toISOString(),
      lines,
      corrections,
      billable_calls: calls,
      cost_usd,
      digest: `sha-256:${digest}`,
      lines_url: `/v1/usage/billing?period=${period}`,
    },
    decides: null,
  };
}
