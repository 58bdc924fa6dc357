const KEY = 'countersign:audit-keys';
const KEYS_MAX = 20;
const TEXT_CHARACTERS_MAX = 20_000;

/** Keys of a log and its witnesses that an auditor trusts: the text of a trust file. */
export interface PinnedKeys {
  text: string;
  /** RFC 3339. */
  pinned_at: string;
}

type Keeper = Pick<Storage, 'getItem' | 'setItem'>;

/** The keys that were pinned in this browser. What cannot be read counts as none. */
export function pinnedKeys(storage: Keeper = localStorage): PinnedKeys[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isPinned).slice(0, KEYS_MAX) : [];
  } catch {
    return [];
  }
}

const isPinned = (value: unknown): value is PinnedKeys =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as PinnedKeys).text === 'string' &&
  typeof (value as PinnedKeys).pinned_at === 'string';

/** Adds keys, in the place of those of the same log. @throws RangeError if there are too many, or the text is too long */
export function pinKeys(text: string, now: Date, storage: Keeper = localStorage): void {
  if (text.length > TEXT_CHARACTERS_MAX) throw new RangeError(`The keys have more than ${TEXT_CHARACTERS_MAX} characters.`);
  const others = pinnedKeys(storage).filter((kept) => logOf(kept) !== logOf({ text }));
  if (others.length >= KEYS_MAX) throw new RangeError(`At most ${KEYS_MAX} logs can be pinned: remove one first.`);
  storage.setItem(KEY, JSON.stringify([...others, { text, pinned_at: now.toISOString() }]));
}

export function unpinKeys(vkey: string, storage: Keeper = localStorage): void {
  storage.setItem(KEY, JSON.stringify(pinnedKeys(storage).filter((kept) => logOf(kept) !== vkey)));
}

/** The witnesses of pinned keys, as they are written. */
export interface ShownKeys {
  log: string;
  witnesses: { key: string; checks: string }[];
}

/** What pinned keys name; the texts were verified when they were pinned. */
export function shownKeys({ text }: Pick<PinnedKeys, 'text'>): ShownKeys {
  try {
    const { log, witnesses = [] } = JSON.parse(text) as ShownKeys;
    return { log: String(log), witnesses: Array.isArray(witnesses) ? witnesses : [] };
  } catch {
    return { log: '', witnesses: [] };
  }
}

export const logOf = (keys: Pick<PinnedKeys, 'text'>): string => shownKeys(keys).log;

/** Whether these keys require cosignatures. */
export const hasWitnesses = (keys: PinnedKeys): boolean => shownKeys(keys).witnesses.length > 0;
