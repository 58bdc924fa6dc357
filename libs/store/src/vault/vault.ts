import { createHash, randomBytes } from 'node:crypto';
import { DEFAULT_TENANT } from '@countersign/contracts';
import { MemoryRows } from './memory-rows.js';
import { placeText, type SealedPlace, type SealedRow, type SealedRows } from './sealed-rows.js';
import { KnownWrappingKeys, open, seal, type WrappingKeys } from './wrapping-keys.js';

export type SecretScope = SealedPlace['scope'];

/** The scope of a secret: a user, a workspace (tenant) or the whole installation. */
export type SecretPlace = Omit<SealedPlace, 'kind'>;

/** The public part of a secret: everything but its value. */
export type SecretFact = Omit<SealedRow, 'wrapped' | 'ciphertext' | 'kind' | 'key_id'> & {
  /** Identifies this value among all that were ever at its place; reveals nothing of it. */
  tag: string;
};

/** Conditions and properties of a new value. `over`: the tag of the value that it replaces, null: none may exist; absent: replaces any. */
export interface SecretTerms {
  now_ms: number;
  expires_at_ms: number | null;
  must_exist: boolean;
  over?: string | null;
}

/** A secret as a run receives it. */
export interface ResolvedSecret {
  value: string;
  scope: SecretScope;
  version: number;
}

/** Why there is no value: none was set, or the nearest one has expired (a wider scope does not replace it). */
export interface NoSecret {
  missing: 'absent' | 'expired';
  scope: SecretScope | null;
}

export interface SealedToken {
  user_id: string;
  text: string;
  expires_at_ms: number;
}

/** A name that no user has: only secrets of the workspace and the installation are found. */
const NO_USER = '';
const KEY_BYTES = 32;
const REWRAP_BATCH = 100;
const SWEEP_EVERY_MS = 60_000;
const SWEEP_AFTER_MS = 3_600_000;

const aboutOf = (place: SealedPlace, version: number): string => `${placeText(place)}#${version}`;

/**
 * Secrets and users' tokens at rest. Each value is encrypted under its own data key (AES-256-GCM), and each data key under a wrapping
 * key; both are bound to the value's place and version. Only `resolve`, `clientSecret` and `token` return
 * values.
 */
export class Vault {
  private swept_at_ms = 0;

  constructor(
    private readonly rows: SealedRows,
    private readonly keys: WrappingKeys,
  ) {}

  /** For specs: nothing outlives the process. */
  static inMemory(): Vault {
    return new Vault(new MemoryRows(), new KnownWrappingKeys([['k1', randomBytes(KEY_BYTES)]]));
  }

  /** The public part of the secret at a place. */
  async fact(place: SecretPlace): Promise<SecretFact | undefined> {
    const [row] = await this.rows.get([{ kind: 'secret', ...place }]);
    return row && factOf(row);
  }

  /** Sets a new value. @returns its public part; undefined if the required previous value does not exist or another writer was faster. */
  async set(place: SecretPlace, value: string, terms: SecretTerms): Promise<SecretFact | undefined> {
    const at: SealedPlace = { kind: 'secret', ...place };
    const [before] = await this.rows.get([at]);
    if (!before && terms.must_exist) return undefined;
    if (terms.over !== undefined && terms.over !== (before ? tagOf(before) : null)) return undefined;
    const row = await this.sealed(at, (before?.version ?? 0) + 1, value, terms, before?.created_at_ms ?? terms.now_ms);
    return (await this.rows.put(row, before)) ? factOf(row) : undefined;
  }

  /** `over`: the tag of the value to remove; absent: any value. False if it does not exist. */
  async remove(place: SecretPlace, over?: string): Promise<boolean> {
    const at: SealedPlace = { kind: 'secret', ...place };
    if (over === undefined) return this.rows.remove(at);
    const [row] = await this.rows.get([at]);
    return row !== undefined && tagOf(row) === over && this.rows.remove(at, row);
  }

  /** The public parts of a tenant's secrets ('' for the installation's). */
  async list(tenant_id: string): Promise<SecretFact[]> {
    return (await this.rows.list('secret', tenant_id)).map(factOf);
  }

  /** The value for a user of a tenant: the user's own, else the workspace's, else the installation's. */
  async resolve(of: { tenant_id: string; user_id: string; name: string }, now_ms: number): Promise<ResolvedSecret | NoSecret> {
    const { tenant_id, user_id, name } = of;
    const places: SealedPlace[] = [
      { kind: 'secret', tenant_id, scope: 'user', owner: user_id, name },
      { kind: 'secret', tenant_id, scope: 'workspace', owner: '', name },
      { kind: 'secret', tenant_id: '', scope: 'org', owner: '', name },
    ];
    const found = await this.rows.get(places);
    for (const { scope } of places) {
      const row = found.find((one) => one.scope === scope);
      if (!row) continue;
      if (row.expires_at_ms !== null && row.expires_at_ms <= now_ms) return { missing: 'expired', scope };
      return { value: await this.opened(row), scope, version: row.version };
    }
    return { missing: 'absent', scope: null };
  }

  /**
   * The secret of a client that proves itself to a server of the tenant's choice: never a user's, and one of the installation only for the
   * tenant that administers it. To any other tenant that one does not exist.
   */
  async clientSecret(tenant_id: string, name: string, now_ms: number): Promise<ResolvedSecret | NoSecret> {
    return this.tenantSecret({ tenant_id, user_id: NO_USER, name }, now_ms);
  }

  /**
   * The value for a request to a server of the tenant's choice, else as `resolve`: one of the installation only for the tenant that
   * administers it. To any other tenant that one does not exist.
   */
  async tenantSecret(of: { tenant_id: string; user_id: string; name: string }, now_ms: number): Promise<ResolvedSecret | NoSecret> {
    const found = await this.resolve(of, now_ms);
    return found.scope === 'org' && of.tenant_id !== DEFAULT_TENANT ? { missing: 'absent', scope: null } : found;
  }

  /** Stores a user's token until it expires. @returns its reference, which is the same for the same token. */
  async seal(tenant_id: string, token: SealedToken, now_ms: number): Promise<string> {
    const ref = `ut_${createHash('sha256').update(token.text).digest('base64url').slice(0, 22)}`;
    const place: SealedPlace = { kind: 'token', tenant_id, scope: 'user', owner: '', name: ref };
    if ((await this.rows.get([place])).length > 0) return ref;
    const { expires_at_ms } = token;
    await this.rows.put(await this.sealed(place, 1, JSON.stringify(token), { now_ms, expires_at_ms }, now_ms));
    if (now_ms - this.swept_at_ms > SWEEP_EVERY_MS) {
      this.swept_at_ms = now_ms;
      await this.rows.sweep(now_ms - SWEEP_AFTER_MS);
    }
    return ref;
  }

  async token(tenant_id: string, ref: string): Promise<SealedToken | undefined> {
    const [row] = await this.rows.get([{ kind: 'token', tenant_id, scope: 'user', owner: '', name: ref }]);
    return row && (JSON.parse(await this.opened(row)) as SealedToken);
  }

  /**
   * Creates a new wrapping key if the installation creates its own; then wraps everything with the current key, while values are in use.
   */
  async rotate(): Promise<{ key_id: string; rewrapped: number }> {
    const key_id = await this.keys.rotate();
    let rewrapped = 0;
    for (;;) {
      const rows = await this.rows.under_other_keys(key_id, REWRAP_BATCH);
      if (rows.length === 0) return { key_id, rewrapped };
      const before = rewrapped;
      for (const row of rows) {
        const about = aboutOf(row, row.version);
        const data_key = await this.keys.unwrap(row, about);
        if (await this.rows.rewrap(row, await this.keys.wrap(data_key, about))) rewrapped++;
      }
      if (rewrapped === before) await new Promise((turn) => setTimeout(turn, 20)); // concurrent writers are changing them
    }
  }

  close(): Promise<void> {
    return this.rows.close();
  }

  private async sealed(
    place: SealedPlace,
    version: number,
    value: string,
    { now_ms, expires_at_ms }: { now_ms: number; expires_at_ms: number | null },
    created_at_ms: number,
  ): Promise<SealedRow> {
    const about = aboutOf(place, version);
    const data_key = randomBytes(KEY_BYTES);
    const key = await this.keys.wrap(data_key, about);
    const ciphertext = seal(data_key, Buffer.from(value), about);
    data_key.fill(0);
    const { kind, tenant_id, scope, owner, name } = place;
    return { kind, tenant_id, scope, owner, name, version, ...key, ciphertext, created_at_ms, changed_at_ms: now_ms, expires_at_ms };
  }

  private async opened(row: SealedRow): Promise<string> {
    const about = aboutOf(row, row.version);
    return open(await this.keys.unwrap(row, about), row.ciphertext, about).toString();
  }
}

const TAG_HEX = 16;

function tagOf({ version, ciphertext }: SealedRow): string {
  return `${version}-${createHash('sha256').update(ciphertext).digest('hex').slice(0, TAG_HEX)}`;
}

function factOf(row: SealedRow): SecretFact {
  const { tenant_id, scope, owner, name, version, created_at_ms, changed_at_ms, expires_at_ms } = row;
  return { tenant_id, scope, owner, name, version, created_at_ms, changed_at_ms, expires_at_ms, tag: tagOf(row) };
}
