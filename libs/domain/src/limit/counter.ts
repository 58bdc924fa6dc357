/** Start of a slot of the window (epoch ms; 0 without a window) and what was put in it, millionths. */
export type Slot = [at_ms: number, amount_micro: number];

/** What one limit has counted for one subject: ascending slots. Without a window there is one, at 0. */
export interface Counter {
  readonly slots: readonly Slot[];
}

export const NO_COUNT: Counter = { slots: [] };
/** A window is counted in so many slots: what it holds may leave it later than due by one of them, never earlier. */
const SLOTS = 60;

const widthOf = (window_ms: number): number => Math.max(1, Math.ceil(window_ms / SLOTS));

/** The slot that something appended to the log at this time is put in. Time never goes back: what comes late counts as the newest. */
export function slotAt(counter: Counter, at_ms: number, window_ms: number | null): number {
  if (window_ms === null) return 0;
  const width = widthOf(window_ms);
  return Math.max(Math.floor(at_ms / width) * width, counter.slots.at(-1)?.[0] ?? 0);
}

/** Whether a slot may hold something that is inside the window of something put in at `slot_ms`. */
function counts([at_ms]: Slot, slot_ms: number, window_ms: number | null): boolean {
  return window_ms === null || at_ms + widthOf(window_ms) > slot_ms - window_ms;
}

/** What counts for something put in at this slot, millionths. */
export function usedAt(counter: Counter, slot_ms: number, window_ms: number | null): number {
  let used = 0;
  for (const slot of counter.slots) if (counts(slot, slot_ms, window_ms)) used += slot[1];
  return used;
}

/** When so much fits again if nothing else is put in, epoch ms; null: never by time alone. */
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
 * With so much more (or less) in a slot. Slots that no window can reach are dropped; the newest stays also when
 * nothing is left in it: it says what was dropped, and what comes late must not count before it.
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
