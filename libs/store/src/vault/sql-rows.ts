import type { Store } from '../store.js';
import { type SealedPlace, type SealedRow, SealedRows } from './sealed-rows.js';

const COLUMNS = 'kind, tenant_id, scope, owner, name, version, key_id, wrapped, ciphertext, created_at_ms, changed_at_ms, expires_at_ms';
const PLACE = 'kind = $1 AND tenant_id = $2 AND scope = $3 AND owner = $4 AND name = $5';

const placeOf = ({ kind, tenant_id, scope, owner, name }: SealedPlace): unknown[] => [kind, tenant_id, scope, owner, name];

/** Sealed rows in a table of a durable store, for all services of a distributed installation. */
export class SqlRows extends SealedRows {
  constructor(private readonly store: Store) {
    super();
  }

  async get(places: readonly SealedPlace[]): Promise<SealedRow[]> {
    const found = await Promise.all(
      places.map((place) => this.query(`SELECT ${COLUMNS} FROM sealed_values WHERE ${PLACE}`, placeOf(place))),
    );
    return found.flat();
  }

  list(kind: SealedPlace['kind'], tenant_id: string): Promise<SealedRow[]> {
    return this.query(`SELECT ${COLUMNS} FROM sealed_values WHERE kind = $1 AND tenant_id = $2`, [kind, tenant_id]);
  }

  async put(row: SealedRow, over?: SealedRow): Promise<boolean> {
    const { version, key_id, wrapped, ciphertext, created_at_ms, changed_at_ms, expires_at_ms } = row;
    const values = [...placeOf(row), version, key_id, wrapped, ciphertext, created_at_ms, changed_at_ms, expires_at_ms];
    const text =
      version === 1
        ? `INSERT INTO sealed_values (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING RETURNING version`
        : `UPDATE sealed_values SET version = $6, key_id = $7, wrapped = $8, ciphertext = $9, created_at_ms = $10, changed_at_ms = $11, expires_at_ms = $12
           WHERE ${PLACE} AND version = $6::int4 - 1 ${over ? 'AND ciphertext = $13' : ''} RETURNING version`;
    const params = over && version > 1 ? [...values, over.ciphertext] : values;
    return (await this.store.query({ text, params })).length > 0;
  }

  async remove(place: SealedPlace, over?: SealedRow): Promise<boolean> {
    const text = `DELETE FROM sealed_values WHERE ${PLACE} ${over ? 'AND version = $6 AND ciphertext = $7' : ''} RETURNING version`;
    const params = over ? [...placeOf(place), over.version, over.ciphertext] : placeOf(place);
    return (await this.store.query({ text, params })).length > 0;
  }

  under_other_keys(key_id: string, limit: number): Promise<SealedRow[]> {
    return this.query(`SELECT ${COLUMNS} FROM sealed_values WHERE key_id <> $1 LIMIT $2`, [key_id, limit]);
  }

  async rewrap(row: SealedRow, key: { key_id: string; wrapped: Buffer }): Promise<boolean> {
    const text = `UPDATE sealed_values SET key_id = $6, wrapped = $7 WHERE ${PLACE} AND version = $8 AND key_id = $9 RETURNING version`;
    const params = [...placeOf(row), key.key_id, key.wrapped, row.version, row.key_id];
    return (await this.store.query({ text, params })).length > 0;
  }

  async sweep(before_ms: number): Promise<void> {
    await this.store.query({ text: `DELETE FROM sealed_values WHERE kind = 'token' AND expires_at_ms < $1`, params: [before_ms] });
  }

  /** The process owns the store and closes it. */
  async close(): Promise<void> {}

  private async query(text: string, params: readonly unknown[]): Promise<SealedRow[]> {
    const rows = await this.store.query<SealedRow & Record<string, unknown>>({ text, params });
    return rows.map((row) => ({ ...row, wrapped: Buffer.from(row.wrapped), ciphertext: Buffer.from(row.ciphertext) }));
  }
}
