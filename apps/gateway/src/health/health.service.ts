import type { EventLog } from '@countersign/event-log';
import type { KnownDamage, MetricsAccess } from '@countersign/process';
import type { Registry } from 'prom-client';
import type { PackHealth } from './pack-health.js';

/**
 * Whether this process can serve. If not, why: the log does not accept writes, one of its readers is stuck, or earlier records are still
 * being read.
 */
export class HealthService {
  constructor(
    private readonly caughtUp: () => boolean,
    private readonly parts: { log: Pick<EventLog, 'health'>; damage?: Pick<KnownDamage, 'open'> | undefined },
    readonly metrics: Registry,
    readonly metrics_access: MetricsAccess,
    readonly packs: PackHealth,
  ) {}

  /** `tampered`: it serves requests, but the record differs from what was signed. */
  get status(): 'ready' | 'tampered' | 'catching_up' | 'log_full' | 'log_failed' | 'log_stalled' | 'log_closed' {
    const { log, damage } = this.parts;
    const { health } = log;
    if (health !== 'open') return `log_${health}`;
    if (!this.caughtUp()) return 'catching_up';
    return damage?.open.length ? 'tampered' : 'ready';
  }
}
