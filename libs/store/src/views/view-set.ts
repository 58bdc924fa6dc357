/** A table of a projection. Each build of the projection has its own table; readers use a SQL view with the stable name. */
export interface ViewTable {
  /** The stable name, which queries use, and which statements put in braces (`INSERT INTO {calls} AS calls …`). */
  name: string;
  /** The columns, as in CREATE TABLE, without the primary key. */
  columns: string;
  /** Columns of the primary key. */
  key: readonly string[];
  /** The clauses after the closing bracket of CREATE TABLE. */
  storage?: string;
  /** Further commands on the table; `{name}` is replaced by its name and prefixes the names of its indexes. */
  indexes?: readonly string[];
}

/**
 * The tables of one projection. `version` covers the fold as well: raise it when the fold or a table changes, and the projection is built
 * again beside the live one at the next start.
 */
export interface ViewSet {
  name: string;
  version: number;
  /**
   * This code cannot read or continue rows of lower versions (a column has another meaning): nothing is shown until the new build has
   * caught up. Added columns do not matter. Default: every version is readable.
   */
  readable_since?: number;
  tables: readonly ViewTable[];
  /** Tables of earlier versions: they are dropped with their builds. */
  dropped?: readonly string[];
}

/** The name of a build's own table. */
export const builtTable = (table: string, suffix: string): string => `${table}_${suffix}`;

/** The commands that create the indexes of a table under another name, even if they exist. */
export const indexesOf = ({ name, indexes = [] }: ViewTable, as: string): string[] =>
  indexes.map((text) => text.replaceAll(`{${name}}`, as).replace('CREATE INDEX ', 'CREATE INDEX IF NOT EXISTS '));

/** The commands that create a table under another name. */
export function createTable(table: ViewTable, as: string, options: { indexes: boolean } = { indexes: true }): string[] {
  const { columns, key, storage = '' } = table;
  // The analyse settings are set at once: the table grows without its indexes and may be analysed meanwhile.
  const more = indexesOf(table, as).filter((text) => options.indexes || !text.startsWith('CREATE INDEX'));
  return [`CREATE TABLE ${as} (${columns}, PRIMARY KEY (${key.join(', ')})) ${storage}`, ...more];
}
