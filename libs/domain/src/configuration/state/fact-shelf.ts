/** A version of a tenant's table; its rows never change. */
export interface FactTable {
  table: string;
  /** 1 and up; each change makes the next. */
  version: number;
  rows: ReadonlyMap<string, unknown>;
  /** SHA-256 of what the change brought, hex. */
  change_digest: string;
  by: string;
  changed_at_ms: number;
}

/** A tenant's tables: the newest version of each, and what went before. */
export interface FactShelf {
  tables: Map<string, FactTable>;
  /** Earlier versions and dropped tables, the newest last, at most VERSIONS_KEPT a table. */
  earlier: Map<string, FactTable[]>;
}

export function emptyFacts(): FactShelf {
  return { tables: new Map(), earlier: new Map() };
}
