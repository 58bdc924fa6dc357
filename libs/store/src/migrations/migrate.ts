import { sha256Hex } from '@countersign/contracts';
import { freshViews, prepareViews } from '../projections/prepare.js';
import type { Store } from '../store.js';
import { migrations } from './every-migration.js';
import type { Migration } from './migration.js';

/** The database has a migration that this version does not know, or another text under a known name. */
export class SchemaOutdated extends Error {}

const LOCK = 7_070_700_001;
const TABLE = 'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, digest text NOT NULL)';

const digestOf = (migration: Migration): string => sha256Hex(migration.text);

/**
 * Runs missing migrations and creates the tables of the projections, in one transaction; processes that start together wait for each
 * other (advisory lock).
 */
export async function migrate(store: Store, all: readonly Migration[] = migrations): Promise<string[]> {
  return await store.transaction(async (sql) => {
    await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', params: [LOCK] });
    await sql.query({ text: TABLE, params: [] });
    const rows = await sql.query<{ name: string; digest: string }>({ text: 'SELECT name, digest FROM migrations', params: [] });
    const known = new Map(all.map((migration) => [migration.name, digestOf(migration)]));
    for (const { name, digest } of rows) {
      if (known.get(name) !== digest) throw new SchemaOutdated(`migration ${name} in the database differs from the one of this release`);
    }
    const done = new Set(rows.map(({ name }) => name));
    const missing = all.filter(({ name }) => !done.has(name));
    for (const migration of missing) {
      await sql.query({ text: migration.text, params: [] });
      await sql.query({ text: 'INSERT INTO migrations (name, digest) VALUES ($1, $2)', params: [migration.name, digestOf(migration)] });
    }
    await prepareViews(sql);
    return missing.map(({ name }) => name);
  });
}

/** All migrations, their record and the projections' tables as one text, for a fresh database. */
export function migrateSql(all: readonly Migration[] = migrations): string {
  const record = (migration: Migration): string =>
    `INSERT INTO migrations (name, digest) VALUES ('${migration.name}', '${digestOf(migration)}')`;
  return [TABLE, ...all.flatMap((migration) => [migration.text, record(migration)]), ...freshViews()].join(';\n');
}
