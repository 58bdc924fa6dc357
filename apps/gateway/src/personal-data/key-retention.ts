import type { Principal } from '@countersign/contracts';
import { keepMonths, periodBefore, type RetentionCutoff, retentionOf } from '@countersign/domain';
import type { Logger, Personal } from '@countersign/process';
import type { ConfigurationService } from '../configuration/configuration.service.js';

const EVERY_MS = 3_600_000;
const BY: Principal = { kind: 'service', id: 'gateway', roles: [] };

/** Destroys the keys of encrypted data past its retention: on demand, and every hour. */
export class KeyRetention {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly personal: Personal,
    readonly configuration: ConfigurationService,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.runAll(), EVERY_MS);
    this.timer.unref();
    void this.runAll();
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** The cutoffs that are due; empty if none are, or if the tenant keeps data forever. */
  async due(tenant_id: string): Promise<RetentionCutoff[]> {
    const terms = retentionOf(this.configuration.state, tenant_id)?.terms;
    if (!terms) return [];
    const now_ms = this.configuration.clock.now_ms();
    const cutoffs = new Map<string, RetentionCutoff>();
    for (const { markings, period, keys } of await this.personal.keys.periods(tenant_id)) {
      const months = keepMonths(terms, markings === '' ? [] : markings.split(','));
      const before_period = months === null ? '' : periodBefore(now_ms, months);
      if (period >= before_period) continue;
      const known = cutoffs.get(markings);
      cutoffs.set(markings, { markings, before_period, keys: keys + (known?.keys ?? 0) });
    }
    return [...cutoffs.values()];
  }

  /** Records the destruction first, then destroys the keys. @returns the destroyed cutoffs. */
  async apply(tenant_id: string, by: Principal): Promise<RetentionCutoff[]> {
    const cutoffs = await this.due(tenant_id);
    if (cutoffs.length === 0) return cutoffs;
    const applied_at_ms = this.configuration.clock.now_ms();
    await this.configuration.writer.set(tenant_id, 'retention_applied', { cutoffs, by, applied_at_ms });
    for (const { markings, before_period } of cutoffs) await this.personal.keys.destroyBefore(tenant_id, markings, before_period);
    return cutoffs;
  }

  private async runAll(): Promise<void> {
    for (const [tenant_id, { retention }] of this.configuration.state.by_tenant) {
      if (!retention?.terms) continue;
      try {
        await this.apply(tenant_id, BY);
      } catch (cause) {
        this.logger.warn({ event: 'retention_failed', tenant_id, cause: String(cause) }, 'retention failed: retry in an hour');
      }
    }
  }
}
