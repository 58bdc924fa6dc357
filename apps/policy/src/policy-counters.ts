import type { AnyEvent } from '@countersign/contracts';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Counts the events that the policy service writes. The registry reads the numbers at a scrape. */
export class PolicyCounters {
  private readonly rulings = new Map<string, number>();
  private readonly others = new Map<string, number>();

  constructor(registry: Registry, openApprovals: () => number) {
    const { rulings, others } = this;
    new Counter({
      name: 'countersign_policy_rulings_total',
      help: 'Rulings by effect.',
      labelNames: ['effect'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [effect, count] of rulings) this.inc({ effect }, count);
      },
    });
    new Counter({
      name: 'countersign_policy_events_total',
      help: 'Events that policy wrote besides rulings, by type.',
      labelNames: ['event_type'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [event_type, count] of others) this.inc({ event_type }, count);
      },
    });
    new Gauge({
      name: 'countersign_policy_approvals_in_progress',
      help: 'Approval requests that are open, or granted and not executed yet.',
      registers: [registry],
      collect() {
        this.set(openApprovals());
      },
    });
  }

  count(written: AnyEvent): void {
    if (written.event_type === 'policy_decided') this.rulings.set(written.event.effect, (this.rulings.get(written.event.effect) ?? 0) + 1);
    else this.others.set(written.event_type, (this.others.get(written.event_type) ?? 0) + 1);
  }
}
