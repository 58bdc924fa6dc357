import type { UsagePeriod } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { ConfigurationWriter } from '../configuration/configuration-writer.js';
import type { Notification } from '../notifications/notification.js';
import type { NotificationSender } from '../notifications/notification-sender.js';
import { type BillingPeriod, billingPeriod } from './billing-period.js';

/** Notifies channels of each closed month, and records that it did. */
export class PeriodAnnouncer {
  private readonly sending = new Set<string>();

  constructor(
    private readonly sender: Pick<NotificationSender, 'send'>,
    private readonly writer: Pick<ConfigurationWriter, 'set'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Does nothing while the announcement of this month is in progress. */
  announce(tenant_id: string, closed: UsagePeriod): void {
    const id = `usage.period_closed/${tenant_id}/${closed.period}`;
    if (this.sending.has(id)) return;
    this.sending.add(id);
    void this.sender.send(notificationOf(id, tenant_id, closed)).then(() => this.markSent(id, tenant_id, closed));
  }

  private async markSent(id: string, tenant_id: string, closed: UsagePeriod): Promise<void> {
    try {
      await this.writer.set(tenant_id, 'usage_period_closed', { ...closed, told: true });
    } catch (cause) {
      this.logger.warn(
        { event: 'notification_not_marked', cause: String(cause) },
        'a notification was sent and may be sent once more: the log is unavailable',
      );
    }
    this.sending.delete(id);
  }
}

function notificationOf(
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
