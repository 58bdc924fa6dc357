import { Gauge, type Registry } from 'prom-client';
import type { Executor } from './executor.js';

/** Calls that wait for a slot, that hold one, and that are open. */
export function measureLoad(executor: Executor, register: Registry): void {
  new Gauge({
    name: 'countersign_executor_calls',
    help: 'Calls at this executor by state',
    labelNames: ['standing'],
    registers: [register],
    collect() {
      for (const [standing, calls] of Object.entries(executor.load)) this.set({ standing }, calls);
    },
  });
}
