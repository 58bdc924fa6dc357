import type { AnyEvent } from '@countersign/contracts';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Counts what policy says; the numbers are put into the registry only when somebody asks. */
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
      help: 'Questions that are open, or granted and not executed yet.',
      registers: [registry],
      collect() {
        this.set(openApprovals());
      },
    });
  }

  said(said: AnyEvent): void {
    if (said.event_type === 'policy_decided') this.rulings.set(said.event.effect, (this.rulings.get(said.event.effect) ?? 0) + 1);
    else this.others.set(said.event_type, (this.others.get(said.event_type) ?? 0) + 1);
  }
}
