import { type OpenDamage, tenantOf } from '@countersign/domain';
import type { Configuration, KnownDamage } from '@countersign/process';
import { Refusal } from '../refusal.js';

const whereOf = ({ topic, partition, first_offset, last_offset }: OpenDamage): string => {
  if (topic === null) return '';
  const offsets = first_offset === null ? '' : `, offsets ${first_offset} to ${last_offset ?? 'the end'}`;
  return ` (${topic}${partition === null ? '' : `/${partition}`}${offsets})`;
};

function refusalOf(damage: OpenDamage): Refusal {
  const { damage_id, kind, topic, partition, first_offset, last_offset, reason, found_by } = damage;
  const detail = `the record is not what was signed${whereOf(damage)}: ${reason}. All writes for this tenant are refused. Restore the record from a backup; an operator then accepts the remaining damage with \`npm run countersign -- accept-damage\``;
  return new Refusal('record-damaged', detail, { damage: { damage_id, kind, topic, partition, first_offset, last_offset, found_by } });
}

/** Knows which tenants may write: those whose records match what was signed. */
export class RecordGuard {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly damage: Pick<KnownDamage, 'open' | 'of'> | undefined,
  ) {}

  /** Why this tenant may not write; undefined if it may. */
  refusal(tenant_id: string): Refusal | undefined {
    if (!this.damage || this.damage.open.length === 0) return undefined;
    const lane = tenantOf(this.configuration.state, tenant_id)?.lane ?? '';
    const damage = this.damage.of({ tenant_id, lane });
    return damage && refusalOf(damage);
  }
}
