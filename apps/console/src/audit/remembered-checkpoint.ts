import type { Remembered } from './proof/continuity.js';

const KEY = 'countersign:audit-checkpoint';

type Keeper = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The last checkpoint of this installation that this browser verified: its storage is that of this address alone. */
export function rememberedCheckpoint(storage: Keeper = localStorage): Remembered | undefined {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? 'null') as Partial<Remembered> | null;
    const texts = [kept?.vkey, kept?.root, kept?.note, kept?.seen_at];
    if (!kept || texts.some((text) => typeof text !== 'string') || !Number.isSafeInteger(kept.size)) return undefined;
    return { ...(kept as Remembered), first: firstOf(kept as Remembered) };
  } catch {
    return undefined;
  }
}

function firstOf({ first, size, seen_at }: Remembered): Remembered['first'] {
  const is_first = Number.isSafeInteger(first?.size) && typeof first?.seen_at === 'string';
  return is_first ? { size: first.size, seen_at: first.seen_at } : { size, seen_at };
}

export function rememberCheckpoint(checkpoint: Remembered, storage: Keeper = localStorage): void {
  storage.setItem(KEY, JSON.stringify(checkpoint));
}

export function forgetCheckpoint(storage: Keeper = localStorage): void {
  storage.removeItem(KEY);
}
