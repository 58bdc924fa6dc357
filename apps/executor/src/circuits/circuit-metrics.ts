import type { CircuitDecision } from '@countersign/domain';
import type { CircuitView } from '@countersign/process';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Circuits of all tenants together, by state, and their transitions that this executor recorded. */
export class CircuitMetrics {
  private readonly transitions: Counter<'transition'>;

  constructor(view: CircuitView, register: Registry) {
    this.transitions = new Counter({
      name: 'countersign_circuit_transitions_total',
      help: 'Circuits of tools that this executor opened, reopened or closed',
      labelNames: ['transition'],
      registers: [register],
    });
    new Gauge({
      name: 'countersign_circuits',
      help: 'Circuits of tools that are open or half-open; every executor reports all of them',
      labelNames: ['state'],
      registers: [register],
      collect() {
        const counts = { open: 0, half_open: 0, closed: 0 };
        for (const { tenant_id, tool, version } of view.all()) counts[view.stateOf(tenant_id, tool, version)]++;
        this.set({ state: 'open' }, counts.open);
        this.set({ state: 'half_open' }, counts.half_open);
      },
    });
  }

  changed(transition: NonNullable<CircuitDecision['transition']>): void {
    this.transitions.inc({ transition });
  }
}
