import { Refusal, type Seen, Views } from '@countersign/calls';
import type { UsagePeriod } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { billingPages, billingTotals } from './billing.js';
import type { BillingPeriodAnswer, BillingRequest } from './billing.schemas.js';
import { type BillingFormat, billingFormats } from './billing-line.js';
import type { BillingPeriod } from './billing-period.js';
import { PeriodCloser } from './period-closer.js';

/** The billing lines of a month as a file. */
export interface BillingFile {
  content_type: string;
  chunks: AsyncGenerator<string>;
  /** Digest of the lines of a closed month; undefined while they can change. */
  digest: string | undefined;
  /** False if the views may lack what the reader has seen. */
  is_current: boolean;
}

const notOver = ({ period, ends_at_ms }: BillingPeriod): Refusal =>
  new Refusal(
    'conflict',
    `${period} is not closed yet: it ends at ${new Date(ends_at_ms).toISOString()} and closes once all its records are projected`,
    { reason: 'billing_period_open' },
  );

/** Monthly billing lines. They never change once the month is closed. */
@Injectable()
export class BillingService {
  constructor(
    private readonly closer: PeriodCloser,
    private readonly configuration: ConfigurationService,
    private readonly views: Views,
  ) {}

  async lines(tenant_id: string, { period, format, provisional }: BillingRequest, seen: Seen): Promise<BillingFile | Refusal> {
    const is_current = await this.views.current(seen);
    const closed = await this.closer.closed(tenant_id, period);
    if (!closed && provisional !== 'true') return notOver(period);
    if (closed && !(await this.isUnchanged(tenant_id, period, closed)))
      return new Refusal('unavailable', `the lines of ${period.period} differ from those at its close: the views are being rebuilt`, {
        reason: 'views_rebuilding',
      });
    const { content_type } = billingFormats[format];
    return { content_type, chunks: this.text(tenant_id, period, format), digest: closed?.digest, is_current };
  }

  /** The closed months of a tenant, newest first. */
  closedPeriods(tenant_id: string): BillingPeriodAnswer[] {
    const closed: UsagePeriod[] = [...(this.configuration.state.by_tenant.get(tenant_id)?.usage_periods?.values() ?? [])];
    return closed
      .sort((a, b) => (a.period < b.period ? 1 : -1))
      .map(({ period, lines, corrections, digest, calls, cost_micros, told, closed_at_ms }) => ({
        period,
        lines,
        corrections,
        billable_calls: calls,
        cost_usd: cost_micros / 1e6,
        digest: `sha-256:${digest}`,
        told,
        closed_at: new Date(closed_at_ms).toISOString(),
      }));
  }

  private async isUnchanged(tenant_id: string, period: BillingPeriod, closed: UsagePeriod): Promise<boolean> {
    return (await billingTotals(this.views.store, tenant_id, period)).digest === closed.digest;
  }

  private async *text(tenant_id: string, period: BillingPeriod, format: BillingFormat): AsyncGenerator<string> {
    const { head, line } = billingFormats[format];
    if (head !== '') yield head;
    for await (const page of billingPages(this.views.store, tenant_id, period)) yield page.map(line).join('');
  }
}
