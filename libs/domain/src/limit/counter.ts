/** A slot of the window: its start (epoch ms; 0 without a window) and the amount added in it, millionths. */
export type Slot = [at_ms: number, amount_micro: number];

/** The count of one limit for one subject: slots in ascending order. Without a window there is a single slot at 0. */
export interface Counter {
  readonly slots: readonly Slot[];
}

export const NO_COUNT: Counter = { slots: [] };
/** Number of slots per window. An amount leaves the window at most one slot too late, never too early. */
const SLOTS = 60;

const widthOf = (window_ms: number): number => Math.max(1, Math.ceil(window_ms / SLOTS));

/** The slot for a record appended at this time. Time never goes back: a late record counts in the newest slot. */
export function slotAt(counter: Counter, at_ms: number, window_ms: number | null): number {
  if (window_ms === null) return 0;
  const width = widthOf(window_ms);
  return Math.max(Math.floor(at_ms / width) * width, counter.slots.at(-1)?.[0] ?? 0);
}

/** True if a slot may contain an amount within the window that ends at `slot_ms`. */
function counts([at_ms]: Slot, slot_ms: number, window_ms: number | null): boolean {
  return window_ms === null || at_ms + widthOf(window_ms) > slot_ms - window_ms;
}

/** The amount used at this slot, millionths. */
export function usedAt(counter: Counter, slot_ms: number, window_ms: number | null): number {
  let used = 0;
  for (const slot of counter.slots) if (counts(slot, slot_ms, window_ms)) used += slot[1];
  return used;
}

/** When the amount fits again if nothing else is added, epoch ms; null: time alone never frees enough. */
export function freeAt(
  counter: Counter,
  want: { slot_ms: number; window_ms: number | null; amount_micro: number; max_micro: number },
): number | null {
  const { slot_ms, window_ms, amount_micro, max_micro } = want;
  if (window_ms === null || amount_micro > max_micro) return null;
  let used = usedAt(counter, slot_ms, window_ms);
  for (const slot of counter.slots) {
    if (!counts(slot, slot_ms, window_ms)) continue;
    used -= slot[1];
    if (used + amount_micro <= max_micro) return slot[0] + widthOf(window_ms) + window_ms;
  }
  return null;
}

/**
 * Adds an amount (negative: removes it) to a slot. Slots outside of every window are dropped. The newest slot is kept even if it is empty,
 * because it marks how far slots were dropped: late records must not count before it.
 */
export function put(counter: Counter, slot_ms: number, amount_micro: number, window_ms: number | null): Counter {
  const slots = new Map(counter.slots);
  const known = slots.get(slot_ms);
  if (known === undefined && amount_micro < 0) return counter;
  slots.set(slot_ms, Math.max(0, (known ?? 0) + amount_micro));
  const newest = Math.max(slot_ms, counter.slots.at(-1)?.[0] ?? 0);
  const kept = [...slots].filter((slot) => (slot[1] > 0 && counts(slot, newest, window_ms)) || (window_ms !== null && slot[0] === newest));
  return { slots: kept.sort(([a], [b]) => a - b) };
}
