import { Gauge, type Registry } from 'prom-client';
import type { KnownDamage } from './known-damage.js';

/** Number of places on the record that are known to differ from what was signed: alert if it is not 0. */
export function measureDamage(damage: Pick<KnownDamage, 'open'>, metrics: Registry): void {
  const name = 'countersign_record_damages';
  const help = 'Places where the log differs from what was signed, not accepted by an operator';
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers: [metrics],
    collect: () => gauge.set(damage.open.length),
  });
}
