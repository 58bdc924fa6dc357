import type { KnownDamage } from '@countersign/process';

/** Tenants whose record is damaged: their calls wait and are neither claimed nor run. */
export class RecordHold {
  constructor(
    private readonly lane: string,
    private readonly damage: Pick<KnownDamage, 'open' | 'of'> | undefined,
  ) {}

  holds(tenant_id: string): boolean {
    if (!this.damage || this.damage.open.length === 0) return false;
    return this.damage.of({ tenant_id, lane: this.lane }) !== undefined;
  }
}
