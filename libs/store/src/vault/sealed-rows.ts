/** Where a sealed value stands. `owner` is the user of a user's value, else empty; `org` values are of tenant ''. */
export interface SealedPlace {
  kind: 'secret' | 'token';
  tenant_id: string;
  scope: 'user' | 'workspace' | 'org';
  owner: string;
  name: string;
}

/** A sealed value: its ciphertext under a data key, and that key under a wrapping key. Nothing of it can be read without the keys. */
export interface SealedRow extends SealedPlace {
  /** 1, 2, … with every new value. */
  version: number;
  key_id: string;
  wrapped: Buffer;
  ciphertext: Buffer;
  created_at_ms: number;
  changed_at_ms: number;
  expires_at_ms: number | null;
}

/** Whether two rows hold the same value: each value has a nonce of its own, so one that was removed and made again is another. */
export function isSameValue(one: SealedRow | undefined, other: SealedRow): boolean {
  return one !== undefined && one.version === other.version && one.ciphertext.equals(other.ciphertext);
}

/** One text for each place. */
export function placeText({ kind, tenant_id, scope, owner, name }: SealedPlace): string {
  return JSON.stringify([kind, tenant_id, scope, owner, name]);
}

/**
 * Where sealed values are kept. A write that resolved is durable; two writers of one place do not lose one another's
 * version: `put` takes a row only as the successor of what is there. Throws InfrastructureFault where it is unavailable.
 */
export abstract class SealedRows {
  abstract get(places: readonly SealedPlace[]): Promise<SealedRow[]>;
  abstract list(kind: SealedPlace['kind'], tenant_id: string): Promise<SealedRow[]>;
  /** `over`: the row that this one replaces. False where that is not there (any more), or the version is not the next one of its place. */
  abstract put(row: SealedRow, over?: SealedRow): Promise<boolean>;
  /** `over`: only this very row. False where it is not there (any more). */
  abstract remove(place: SealedPlace, over?: SealedRow): Promise<boolean>;
  /** Rows under other wrapping keys than this one, at most `limit`. */
  abstract under_other_keys(key_id: string, limit: number): Promise<SealedRow[]>;
  /** The same value under another wrapping key; false where the row has changed meanwhile. */
  abstract rewrap(row: SealedRow, key: { key_id: string; wrapped: Buffer }): Promise<boolean>;
  /** Drops tokens that expired before this time. */
  abstract sweep(before_ms: number): Promise<void>;
  abstract close(): Promise<void>;
}
