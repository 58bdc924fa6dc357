import { CIRCUIT_DEFAULTS, circuitSlotAt, inWindow, mergedSlots, type SlotCount } from '@countersign/domain';
import type { CircuitKey } from '@countersign/store';

/** Further versions of tools that a tenant calls within a minute are not counted. */
const COUNTED_PER_TENANT_MAX = 2_000;

/** Outcomes of one version of a tool in one tenant that are not reported yet. */
export interface CountedOutcomes {
  key: CircuitKey;
  slots: SlotCount[];
}

/** Counts outcomes in memory. Plain numbers: a call that succeeds changes one counter. */
export class OutcomeCounts {
  private readonly byTenant = new Map<string, Map<string, CountedOutcomes>>();
  /** Those with a failure that is not reported yet. */
  private readonly failing = new Set<CountedOutcomes>();

  add(key: CircuitKey, outcome: 'succeeded' | 'failed', now_ms: number): void {
    const counted = this.of(key, now_ms);
    if (!counted) return;
    const at = circuitSlotAt(now_ms, CIRCUIT_DEFAULTS);
    let slot = counted.slots.at(-1);
    if (slot?.slot !== at) {
      counted.slots = inWindow(counted.slots, now_ms, CIRCUIT_DEFAULTS);
      slot = { slot: at, succeeded: 0, failed: 0 };
      counted.slots.push(slot);
    }
    slot[outcome]++;
    if (outcome === 'failed') this.failing.add(counted);
  }

  /** Takes the outcomes of the last minute out: those with a failure, and those of circuits that have a row. */
  take(withRow: readonly CircuitKey[]): CountedOutcomes[] {
    const watched = withRow.flatMap(({ tenant_id, tool, version }) => this.byTenant.get(tenant_id)?.get(`${tool}@${version}`) ?? []);
    const taken = [...new Set([...this.failing, ...watched])].filter(({ slots }) => slots.length > 0);
    this.failing.clear();
    return taken.map((counted) => {
      const { key, slots } = counted;
      counted.slots = [];
      return { key, slots };
    });
  }

  /** Puts outcomes back that could not be reported. */
  putBack({ key, slots }: CountedOutcomes, now_ms: number): void {
    const counted = this.of(key, now_ms);
    if (!counted) return;
    counted.slots = inWindow(mergedSlots(counted.slots, slots), now_ms, CIRCUIT_DEFAULTS);
    if (counted.slots.some(({ failed }) => failed > 0)) this.failing.add(counted);
  }

  /** Undefined: its tenant calls too many versions of tools at once. */
  private of(key: CircuitKey, now_ms: number): CountedOutcomes | undefined {
    const own = this.byTenant.get(key.tenant_id) ?? new Map<string, CountedOutcomes>();
    const name = `${key.tool}@${key.version}`;
    const known = own.get(name);
    if (known) return known;
    if (own.size >= COUNTED_PER_TENANT_MAX) this.dropIdle(own, now_ms);
    if (own.size >= COUNTED_PER_TENANT_MAX) return undefined;
    const { tenant_id, tool, version } = key;
    const counted = { key: { tenant_id, tool, version }, slots: [] };
    this.byTenant.set(key.tenant_id, own.set(name, counted));
    return counted;
  }

  private dropIdle(own: Map<string, CountedOutcomes>, now_ms: number): void {
    for (const [name, { slots }] of own) if (inWindow(slots, now_ms, CIRCUIT_DEFAULTS).length === 0) own.delete(name);
  }
}
