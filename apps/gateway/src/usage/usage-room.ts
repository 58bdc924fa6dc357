import { type ConfigurationState, type UsagePeriod } from '@countersign/domain';
import type { OperatorCommands } from './operator-commands.js';
import type { PeriodCloser } from './period-closer.js';
import type { UsageReport } from './usage-report.js';

/** What the routes of usage share. */
export class UsageRoom {
  constructor(
    readonly report: UsageReport,
    readonly closer: PeriodCloser,
    readonly commands: OperatorCommands,
    private readonly config: () => ConfigurationState,
  ) {}

  /** The months of a tenant that are closed, the newest first. */
  closedPeriods(tenant_id: string): Record<string, unknown>[] {
    const closed: UsagePeriod[] = [...(this.config().by_tenant.get(tenant_id)?.usage_periods?.values() ?? [])];
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
}
