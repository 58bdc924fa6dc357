import type { Store } from '../store.js';
import { type KeptKey, placeOfKey, SubjectKeys } from './subject-keys.js';

const COLUMNS = 'key_id, tenant_id, subject, markings, period, wrapped, created_at_ms';

/** Keys of subjects in a table of a durable store, for all services of a distributed installation. */
export class SqlSubjectKeys extends SubjectKeys {
  constructor(
    private readonly store: Store,
    wrapping_key: Buffer,
  ) {
    super(wrapping_key);
  }

  async ofSubject(tenant_id: string, subject: string): Promise<string[]> {
    const text = 'SELECT key_id::text AS key_id FROM subject_keys WHERE tenant_id = $1 AND subject = $2';
    return (await this.store.query<{ key_id: string }>({ text, params: [tenant_id, subject] })).map(({ key_id }) => key_id);
  }

  periods(tenant_id: string): Promise<{ markings: string; period: string; keys: number }[]> {
    const text = 'SELECT markings, period, count(*)::int4 AS keys FROM subject_keys WHERE tenant_id = $1 GROUP BY markings, period';
    return this.store.query<{ markings: string; period: string; keys: number }>({ text, params: [tenant_id] });
  }

  async destroy(tenant_id: string, key_ids: readonly string[]): Promise<number> {
    if (key_ids.length === 0) return 0;
    const text = 'DELETE FROM subject_keys WHERE tenant_id = $1 AND key_id = ANY($2::uuid[]) RETURNING period';
    return (await this.store.query({ text, params: [tenant_id, [...key_ids]] })).length;
  }

  async destroyBefore(tenant_id: string, markings: string, period: string): Promise<number> {
    const text = 'DELETE FROM subject_keys WHERE tenant_id = $1 AND markings = $2 AND period < $3 RETURNING period';
    return (await this.store.query({ text, params: [tenant_id, markings, period] })).length;
  }

  /** The process owns the store and closes it. */
  async close(): Promise<void> {}

  protected read(key_ids: readonly string[]): Promise<readonly KeptKey[]> {
    return this.query('key_id = ANY($1::uuid[])', [[...key_ids]]);
  }

  protected async findOrKeep(offered: readonly KeptKey[]): Promise<KeptKey[]> {
    const known = await this.at(offered);
    const missing = offered.filter((one) => !known.has(placeOfKey(one)));
    for (const one of missing) await this.insert(one);
    const all = missing.length > 0 ? await this.at(offered) : known;
    return offered.map((one) => {
      const found = all.get(placeOfKey(one));
      if (!found) throw new Error('a key of a data subject was destroyed while it was created'); // erased just now: the caller retries
      return found;
    });
  }

  private async at(places: readonly KeptKey[]): Promise<Map<string, KeptKey>> {
    const [tenants, subjects] = [places.map(({ tenant_id }) => tenant_id), places.map(({ subject }) => subject)];
    const rows = await this.query('tenant_id = ANY($1::text[]) AND subject = ANY($2::text[])', [tenants, subjects]);
    return new Map(rows.map((row) => [placeOfKey(row), row]));
  }

  private async insert({ key_id, tenant_id, subject, markings, period, wrapped, created_at_ms }: KeptKey): Promise<void> {
    const text = `INSERT INTO subject_keys (${COLUMNS}) VALUES ($1::uuid, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`;
    await this.store.query({ text, params: [key_id, tenant_id, subject, markings, period, wrapped, created_at_ms] });
  }

  private async query(where: string, params: readonly unknown[]): Promise<KeptKey[]> {
    const text = `SELECT key_id::text AS key_id, tenant_id, subject, markings, period, wrapped, created_at_ms FROM subject_keys WHERE ${where}`;
    const rows = await this.store.query<KeptKey & Record<string, unknown>>({ text, params });
    return rows.map((row) => ({ ...row, wrapped: Buffer.from(row.wrapped) }));
  }
}
