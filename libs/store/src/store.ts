import type { ArrayType } from './array-types.js';

export interface Statement {
  text: string;
  params: readonly unknown[];
  /** Prepared under this name where given: one name, one text. */
  name?: string;
  /** None of its rows is likely to be in the table: see `asNewRows`. */
  new_rows?: true;
  /** A `COPY … FROM STDIN (FORMAT BINARY)`: the parameters are its columns, arrays of one length, of these types. A value of another is a TypeError. */
  copy?: readonly ArrayType[];
}

export type Row = Record<string, unknown>;

export interface Sql {
  /** int8 comes back as number, numeric as string, timestamptz is not used (epoch ms in int8), bytea as Buffer, uuid as text. */
  query<R extends Row>(statement: Statement): Promise<R[]>;
}

/**
 * The SQL database behind one port: PGlite in a worker thread, or PostgreSQL through pg. Write SQL for PostgreSQL 15 to 18;
 * no session state (SET, session locks, LISTEN).
 */
export abstract class Store implements Sql {
  /** False embedded: the tables are a fold of the log and may be deleted at any stop. */
  abstract readonly durable: boolean;
  abstract query<R extends Row>(statement: Statement): Promise<R[]>;
  /** All statements in one transaction and one round trip; the rows of each. `background` lets others go first (embedded). */
  abstract atomically(statements: readonly Statement[], priority?: 'hot' | 'background'): Promise<Row[][]>;
  /** An interactive transaction; rolled back where `work` throws. Not for the hot path: embedded there is one session. */
  abstract transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  abstract close(): Promise<void>;
}
