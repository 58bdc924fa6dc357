import type { DamageReport, FoundDamage } from '@countersign/evidence';

const LINES_MAX = 20;

function placeOf({ topic, partition, first_offset, last_offset, tenant_id }: FoundDamage): string {
  const place = topic === undefined ? '' : `${topic}${partition === undefined ? '' : `/${partition}`}`;
  const records = first_offset === undefined ? '' : ` offset ${first_offset}${last_offset === first_offset ? '' : ` to ${last_offset}`}`;
  return [`${place}${records}`, tenant_id ? `tenant ${tenant_id}` : ''].filter((part) => part !== '').join(', ');
}

/** Forwards damage reports and counts them for a requested scrub. */
export class ReportedDamage implements DamageReport {
  private readonly lines: string[] = [];
  private count = 0;

  constructor(private readonly to: DamageReport) {}

  found(damage: FoundDamage): boolean {
    const counts = this.to.found(damage);
    if (!counts) return false;
    this.count++;
    if (this.lines.length < LINES_MAX) this.lines.push(`${damage.kind}  ${placeOf(damage)}  ${damage.reason}`);
    return true;
  }

  get damages(): number {
    return this.count;
  }

  /** The first 20 damages, one line each: what and where. */
  get listed(): string[] {
    return [...this.lines];
  }
}
