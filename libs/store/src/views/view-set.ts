/** A table of a projection. Each build of the projection has its own; readers use a SQL view with the stable name. */
export interface ViewTable {
  /** The stable name: what queries say, and what statements say in braces (`INSERT INTO {calls} AS calls …`). */
  name: string;
  /** The columns, as in CREATE TABLE, without the primary key. */
  columns: string;
  /** Columns of the primary key. */
  key: readonly string[];
  /** What follows the closing bracket of CREATE TABLE. */
  storage?: string;
  /** Further commands on the table; `{name}` stands for it and begins the names of its indexes. */
  indexes?: readonly string[];
}

/**
 * The tables of one projection. `version` covers the fold as well: raise it when the fold or a table changes, and the
 * projection is built anew beside the live one at the next start.
 */
export interface ViewSet {
  name: string;
  version: number;
  /**
   * Rows of versions below can't be read or carried on by this code (a column means something else): then there is
   * nothing to show until the new build has caught up. Added columns need no mention. Default: every version can.
   */
  readable_since?: number;
  tables: readonly ViewTable[];
  /** Tables that versions before this one had: they go with their builds. */
  dropped?: readonly string[];
}

/** The name of a build's own table. */
export const builtTable = (table: string, suffix: string): string => `${table}_${suffix}`;

/** The commands that make the indexes of a table under another name, whether or not they are there. */
export const indexesOf = ({ name, indexes = [] }: ViewTable, as: string): string[] =>
  indexes.map((text) => text.replaceAll(`{${name}}`, as).replace('CREATE INDEX ', 'CREATE INDEX IF NOT EXISTS '));

/** The commands that make a table under another name. */
export function createTable(table: ViewTable, as: string, options: { indexes: boolean } = { indexes: true }): string[] {
  const { columns, key, storage = '' } = table;
  // How a table is analysed is said at once: it grows without its indexes, and may be analysed meanwhile.
  const more = indexesOf(table, as).filter((text) => options.indexes || !text.startsWith('CREATE INDEX'));
  return [`CREATE TABLE ${as} (${columns}, PRIMARY KEY (${key.join(', ')})) ${storage}`, ...more];
}
