import type { CircuitSettings } from './settings.js';

/** The outcomes of one step of time. `slot`: epoch ms divided by `slot_ms`, rounded down. */
export interface SlotCount {
  slot: number;
  succeeded: number;
  failed: number;
}

type Times = Pick<CircuitSettings, 'window_ms' | 'slot_ms'>;

export const slotAt = (at_ms: number, { slot_ms }: Pick<CircuitSettings, 'slot_ms'>): number => Math.floor(at_ms / slot_ms);

/** The slots that are in the window at a time. Those of the future, after a clock was set back, are dropped too. */
export function inWindow<S extends { slot: number }>(slots: readonly S[], now_ms: number, times: Times): S[] {
  const newest = slotAt(now_ms, times);
  const oldest = newest - Math.ceil(times.window_ms / times.slot_ms);
  return slots.filter(({ slot }) => slot > oldest && slot <= newest + 1);
}

/** Both lists together, each slot once, oldest first. */
export function mergedSlots(first: readonly SlotCount[], second: readonly SlotCount[]): SlotCount[] {
  const bySlot = new Map<number, SlotCount>();
  for (const { slot, succeeded, failed } of [...first, ...second]) {
    const known = bySlot.get(slot);
    bySlot.set(slot, { slot, succeeded: succeeded + (known?.succeeded ?? 0), failed: failed + (known?.failed ?? 0) });
  }
  return [...bySlot.values()].sort((a, b) => a.slot - b.slot);
}

/** Sums of the slots. */
export function totalOf(slots: readonly SlotCount[]): { succeeded: number; failed: number; outcomes: number } {
  const succeeded = slots.reduce((sum, slot) => sum + slot.succeeded, 0);
  const failed = slots.reduce((sum, slot) => sum + slot.failed, 0);
  return { succeeded, failed, outcomes: succeeded + failed };
}
