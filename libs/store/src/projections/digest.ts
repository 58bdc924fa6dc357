import { createHash } from 'node:crypto';
import type { Row, Sql } from '../store.js';

/** Rows hashed in one query: in an embedded installation more would delay waiting callers. */
const ROWS_AT_ONCE = 2_000;

/** The contents of a table as one value: equal digests mean equal rows, whatever order they were written in. */
export interface TableDigest {
  table: string;
  rows: number;
  /** SHA-256 (hex) over the SHA-256 of each row's text, in the order of the primary key. */
  digest: string;
}

async function typesOf(sql: Sql, relation: string): Promise<Map<string, string>> {
  const rows = await sql.query<{ column: string; type: string }>({
    text: `SELECT attname::text AS column, format_type(atttypid, atttypmod) AS type FROM pg_attribute
           WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
    params: [relation],
  });
  return new Map(rows.map(({ column, type }) => [column, type]));
}

/** Reads the whole relation in pages. `key`: its primary key. */
export async function tableDigest(sql: Sql, relation: string, key: readonly string[]): Promise<TableDigest> {
  const types = await typesOf(sql, relation);
  const columns = key.join(', ');
  const after = key.map((column, at) => `$${at + 1}::text::${types.get(column)}`).join(', ');
  const hash = createHash('sha256');
  let rows = 0;
  for (let last: Row | undefined, more = true; more; ) {
    const page: Row[] = await sql.query({
      text: `SELECT encode(sha256(convert_to(line::text, 'UTF8')), 'hex') AS row_digest, ${key.map((column) => `${column}::text AS ${column}`).join(', ')}
             FROM ${relation} AS line ${last ? `WHERE (${columns}) > (${after})` : ''} ORDER BY ${key.map((column) => `line.${column}`).join(', ')} LIMIT ${ROWS_AT_ONCE}`,
      params: last ? key.map((column) => last?.[column]) : [],
    });
    for (const row of page) hash.update(row.row_digest as string);
    rows += page.length;
    last = page.at(-1);
    more = page.length === ROWS_AT_ONCE;
  }
  return { table: relation, rows, digest: hash.digest('hex') };
}
