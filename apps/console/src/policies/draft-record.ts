/** The draft of a policy, as it is kept in the tab. */
export interface DraftRecord {
  text: string;
  /** The version that it was begun from; null: none. */
  base: string | null;
  /** The version that was active then; null: none. */
  active: string | null;
}

export const recordText = (record: DraftRecord): string => JSON.stringify(record);

/** What was kept; undefined for what is no draft. */
export function recordOf(kept: string): DraftRecord | undefined {
  try {
    const { text, base, active } = JSON.parse(kept) as Partial<DraftRecord>;
    if (typeof text !== 'string') return undefined;
    return { text, base: typeof base === 'string' ? base : null, active: typeof active === 'string' ? active : null };
  } catch {
    return undefined;
  }
}
