import type { DamageReport, FoundDamage } from '@countersign/evidence';
import type { AppDeps } from './app-deps.js';
import { recordBroken } from './record-broken.js';

/** A record that was rewritten as a whole would fill the log with events that say so. */
const EVENTS_MAX = 200;

/** Writes one security event for each distinct damage. */
export class RecordedDamage implements DamageReport {
  private readonly known = new Set<string>();

  constructor(private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'clock' | 'logger'>) {}

  found({ found_by, ...damage }: FoundDamage): void {
    const name = JSON.stringify(damage);
    if (this.known.has(name) || this.known.size >= EVENTS_MAX) return;
    this.known.add(name);
    const { logger } = this.deps;
    logger.error({ event: 'damage_found', found_by, ...damage }, 'the record is not what was signed');
    recordBroken(this.deps, damage.reason, damage.tenant_id).catch((cause: Error) => {
      // Told again when it is found again.
      this.known.delete(name);
      logger.error({ event: 'damage_not_recorded', cause: cause.message }, 'the security event of a damage could not be written');
    });
  }
}
