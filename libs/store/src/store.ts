import type { ArrayType } from './array-types.js';

export interface Statement {
  text: string;
  params: readonly unknown[];
  /** Prepared under this name if given: each name has one text. */
  name?: string;
  /** Its rows are probably not in the table: see `asNewRows`. */
  new_rows?: true;
  /**
   * A `COPY … FROM STDIN (FORMAT BINARY)`: the parameters are its columns, arrays of equal length and these types. A value of another
   * type is a TypeError.
   */
  copy?: readonly ArrayType[];
}

export type Row = Record<string, unknown>;

export interface Sql {
  /** Result types: int8 as number, numeric as string, bytea as Buffer, uuid as text. timestamptz is not used (epoch ms in int8). */
  query<R extends Row>(statement: Statement): Promise<R[]>;
}

/**
 * The SQL database behind one port: PGlite in a worker thread, or PostgreSQL through pg. Write SQL for PostgreSQL 15 to 18;
 * no session state (SET, session locks, LISTEN).
 */
export abstract class Store implements Sql {
  /** False for embedded: the tables are a fold of the log and may be deleted after any stop. */
  abstract readonly durable: boolean;
  abstract query<R extends Row>(statement: Statement): Promise<R[]>;
  /**
   * Runs all statements in one transaction and one round trip; returns the rows of each. `background` lets other requests run first
   * (embedded).
   */
  abstract atomically(statements: readonly Statement[], priority?: 'hot' | 'background'): Promise<Row[][]>;
  /** An interactive transaction; rolled back if `work` throws. Not for the hot path: an embedded store has one session. */
  abstract transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  abstract close(): Promise<void>;
}
