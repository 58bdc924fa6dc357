const KEY = 'countersign:vote-hold-s';
const DEFAULT_S = 5;
export const HOLD_MAX_S = 30;

/** How long the console holds a vote that ends its request, in seconds: a setting of this person in this browser. */
export function readHoldSeconds(store: Pick<Storage, 'getItem'> = localStorage): number {
  const text = store.getItem(KEY);
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isInteger(value) && value >= 0 && value <= HOLD_MAX_S ? value : DEFAULT_S;
}

export function writeHoldSeconds(seconds: number, store: Pick<Storage, 'setItem'> = localStorage): void {
  store.setItem(KEY, String(Math.min(Math.max(0, Math.round(seconds)), HOLD_MAX_S)));
}
