import { Gauge, type Registry } from 'prom-client';
import type { KnownDamage } from './known-damage.js';

/** How many places of the record are known not to be what was signed: an alarm, where it is not 0. */
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
