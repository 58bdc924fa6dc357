import { firstMeta } from '@countersign/contracts';
import type { DamageReport, FoundDamage } from '@countersign/evidence';
import type { AppDeps } from './app-deps.js';
import { securityRecord } from './security-record.js';

/** The tenant whose people run the installation. */
const INSTALLATION = 'default';
const REPORTED_MAX = 1000;

/** Puts on `security-event` and into the log what is not what was signed, each damage once a process. */
export class RecordedDamage implements DamageReport {
  private readonly reported = new Set<string>();

  constructor(private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'clock' | 'logger'>) {}

  found(damage: FoundDamage): void {
    const { reason } = damage;
    if (this.reported.has(reason) || this.reported.size >= REPORTED_MAX) return;
    this.reported.add(reason);
    this.deps.logger.error({ event: 'damage_found', ...damage }, 'what is stored is not what was signed');
    this.record(reason).catch((cause) => {
      this.reported.delete(reason);
      this.deps.logger.warn({ event: 'damage_not_recorded', cause: String(cause) }, 'damage that was found is not on the log yet');
    });
  }

  private async record(detail: string): Promise<void> {
    const { log, codec, clock } = this.deps;
    const now_ms = clock.now_ms();
    const event = { meta: firstMeta(INSTALLATION, now_ms), kind: 'record_broken', detail, principal: null, recorded_at_ms: now_ms };
    await log.append([securityRecord(codec, null, event)]);
  }
}
