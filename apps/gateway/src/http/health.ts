import type { EventLog } from '@countersign/event-log';
import type { MetricsAccess } from '@countersign/process';
import type { Registry } from 'prom-client';

/** Whether this process can serve, or why it cannot: the log takes nothing or a reader of it is stuck, or it still reads what came before. */
export class Health {
  constructor(
    private readonly caughtUp: () => boolean,
    private readonly log: Pick<EventLog, 'health'>,
    readonly metrics: Registry,
    readonly metrics_access: MetricsAccess,
  ) {}

  get status(): 'ready' | 'catching_up' | 'log_full' | 'log_failed' | 'log_stalled' | 'log_closed' {
    const { health } = this.log;
    if (health !== 'open') return `log_${health}`;
    return this.caughtUp() ? 'ready' : 'catching_up';
  }
}
