import type { Sql } from '../store.js';

/** A use of a key. */
export interface KeyUse {
  tenant_id: string;
  key_id: string;
  last_used_at_ms: number;
}

const WRITE = `INSERT INTO key_uses AS known (tenant_id, key_id, last_used_at_ms)
SELECT * FROM unnest($1::text[], $2::text[], $3::int8[])
ON CONFLICT (tenant_id, key_id) DO UPDATE SET last_used_at_ms = EXCLUDED.last_used_at_ms WHERE known.last_used_at_ms < EXCLUDED.last_used_at_ms`;
const READ = 'SELECT key_id, last_used_at_ms FROM key_uses WHERE tenant_id = $1 AND key_id = ANY($2::text[])';

/** Each key at most once. A use earlier than the stored one changes nothing. Rows are locked in the order of their keys. */
export async function keepKeyUses(sql: Sql, uses: readonly KeyUse[]): Promise<void> {
  const sorted = [...uses].sort((a, b) => (a.key_id < b.key_id ? -1 : 1));
  const columns = [sorted.map((use) => use.tenant_id), sorted.map((use) => use.key_id), sorted.map((use) => use.last_used_at_ms)];
  await sql.query({ name: 'key_uses_keep', text: WRITE, params: columns });
}

/** The last use of each of these keys of a tenant, by key id; a key without an entry was not used since uses are recorded. */
export async function readKeyUses(sql: Sql, tenant_id: string, key_ids: readonly string[]): Promise<Map<string, number>> {
  if (key_ids.length === 0) return new Map();
  const rows = await sql.query<Omit<KeyUse, 'tenant_id'>>({ name: 'key_uses_read', text: READ, params: [tenant_id, [...key_ids]] });
  return new Map(rows.map(({ key_id, last_used_at_ms }) => [key_id, last_used_at_ms]));
}
