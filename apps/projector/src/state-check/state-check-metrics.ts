import { Counter, type Registry } from 'prom-client';
import type { WrongRow } from './wrong-row.js';

/** Counts the rows compared with the log, and those that differed. */
export class StateCheckMetrics {
  private readonly compared_total: Counter<'table'>;
  private readonly different_total: Counter<'table'>;

  constructor(register: Registry) {
    const of = (name: string, help: string) => new Counter({ name, help, labelNames: ['table'] as const, registers: [register] });
    this.compared_total = of('countersign_state_compared_total', 'Rows compared with a fold of the log');
    this.different_total = of('countersign_state_different_total', 'Rows that differ from a fold of the log');
  }

  compared(table: WrongRow['table'], rows: number): void {
    this.compared_total.inc({ table }, rows);
  }

  different(table: WrongRow['table']): void {
    this.different_total.inc({ table });
  }
}
