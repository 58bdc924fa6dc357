/** The scope of a sealed value. `owner` is the user of a user's value, else empty; `org` values have tenant ''. */
export interface SealedPlace {
  kind: 'secret' | 'token';
  tenant_id: string;
  scope: 'user' | 'workspace' | 'org';
  owner: string;
  name: string;
}

/** A sealed value: its ciphertext under a data key, and that key under a wrapping key. Without the keys nothing of it can be read. */
export interface SealedRow extends SealedPlace {
  /** 1, 2, …: increases with every new value. */
  version: number;
  key_id: string;
  wrapped: Buffer;
  ciphertext: Buffer;
  created_at_ms: number;
  changed_at_ms: number;
  expires_at_ms: number | null;
}

/** Whether two rows hold the same value: each value has its own nonce, so a value that was removed and set again is a different one. */
export function isSameValue(one: SealedRow | undefined, other: SealedRow): boolean {
  return one !== undefined && one.version === other.version && one.ciphertext.equals(other.ciphertext);
}

/** A unique text for each place. */
export function placeText({ kind, tenant_id, scope, owner, name }: SealedPlace): string {
  return JSON.stringify([kind, tenant_id, scope, owner, name]);
}

/**
 * Storage of sealed values. A resolved write is durable. Two writers of one place cannot overwrite each other's version: `put` accepts a
 * row only as the successor of the stored one. Throws InfrastructureFault if the storage is unavailable.
 */
export abstract class SealedRows {
  abstract get(places: readonly SealedPlace[]): Promise<SealedRow[]>;
  abstract list(kind: SealedPlace['kind'], tenant_id: string): Promise<SealedRow[]>;
  /**
   * `over`: the row that this one replaces. False if that row does not exist (any more), or the version is not the next one of its place.
   */
  abstract put(row: SealedRow, over?: SealedRow): Promise<boolean>;
  /** `over`: remove only this exact row. False if it does not exist (any more). */
  abstract remove(place: SealedPlace, over?: SealedRow): Promise<boolean>;
  /** Rows under other wrapping keys than this one, at most `limit`. */
  abstract under_other_keys(key_id: string, limit: number): Promise<SealedRow[]>;
  /** Stores the same value under another wrapping key; false if the row has changed meanwhile. */
  abstract rewrap(row: SealedRow, key: { key_id: string; wrapped: Buffer }): Promise<boolean>;
  /** Drops tokens that expired before this time. */
  abstract sweep(before_ms: number): Promise<void>;
  abstract close(): Promise<void>;
}
