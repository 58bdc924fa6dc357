import type { Row, Sql } from '../store.js';
import { builtTable, createTable, type ViewSet } from '../views/view-set.js';
import { analyticsViews } from './analytics-views.js';

interface Column extends Row {
  column: string;
  type: string;
}

const run = (sql: Sql, text: string) => sql.query({ text, params: [] });

/** Columns of a table or view in their order; empty if it does not exist. */
function columnsOf(sql: Sql, relation: string): Promise<Column[]> {
  return sql.query<Column>({
    text: `SELECT attname::text AS column, format_type(atttypid, atttypmod) AS type FROM pg_attribute
           WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    params: [relation],
  });
}

/** Points a stable name at a table. Dependent objects are kept unless a column was removed or moved. */
async function show(sql: Sql, name: string, table: string): Promise<void> {
  const [before, after] = [await columnsOf(sql, name), await columnsOf(sql, table)];
  const kept = before.every(({ column, type }, at) => after[at]?.column === column && after[at]?.type === type);
  if (!kept) await run(sql, `DROP VIEW ${name} CASCADE`);
  await run(sql, `CREATE OR REPLACE VIEW ${name} AS SELECT * FROM ${table}`);
}

/** Makes this build the one that readers see. */
export async function showTables(sql: Sql, set: ViewSet, suffix: string): Promise<void> {
  for (const { name } of set.tables) await show(sql, name, builtTable(name, suffix));
  for (const text of analyticsViews[set.name] ?? []) await run(sql, text);
}

/**
 * Adds the next version's additional tables and columns to the live tables, empty: its code reads and writes the live tables until its
 * own build has caught up.
 */
export async function widen(sql: Sql, set: ViewSet, live: string, next: string): Promise<void> {
  for (const table of set.tables) {
    const [old, fresh] = [builtTable(table.name, live), builtTable(table.name, next)];
    const [before, after] = [await columnsOf(sql, old), await columnsOf(sql, fresh)];
    if (before.length === 0) for (const text of createTable(table, old)) await run(sql, text);
    const known = new Set(before.map(({ column }) => column));
    const missing = after.filter(({ column }) => before.length > 0 && !known.has(column));
    for (const { column, type } of missing) await run(sql, `ALTER TABLE ${old} ADD COLUMN ${column} ${type}`);
    const wanted = new Set(after.map(({ column }) => column));
    for (const { column } of before) {
      if (!wanted.has(column)) await run(sql, `ALTER TABLE ${old} ALTER COLUMN ${column} DROP NOT NULL`);
    }
    if (missing.length > 0 || before.length === 0) await show(sql, table.name, old);
  }
}
