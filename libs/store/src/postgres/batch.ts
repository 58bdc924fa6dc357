import type { Connection, Submittable } from 'pg';
import { arrayTypes } from '../array-types.js';
import { sqlFault } from '../sql-error.js';
import type { Row, Statement } from '../store.js';
import { ParamWriter } from '../wire/param-writer.js';
import { decodeText } from '../wire/values.js';

/** The part of pg's Connection that a Submittable may use; pg's types omit it. */
interface ExtendedConnection {
  stream: { cork(): void; uncork(): void };
  query(text: string): void;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: (string | Buffer | null)[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: Record<string, never>): void;
  sendCopyFromChunk(rows: Buffer): void;
  endCopyFrom(): void;
  sync(): void;
}

interface RowDescription {
  fields: { name: string; dataTypeID: number }[];
}

const writer = new ParamWriter();

/** Names under which each backend has prepared statements. A name is only ever used for one text. */
const prepared = new WeakMap<object, Set<string>>();

/**
 * All statements in one write with one Sync: PostgreSQL runs them as one implicit transaction (manual, 55.2.4), so that BEGIN and COMMIT
 * cost no round trip. If one of them fails, nothing is written.
 */
export class Batch implements Submittable {
  readonly done: Promise<Row[][]>;
  readonly #results: Row[][] = [];
  readonly #fresh: string[] = [];
  #rows: Row[] = [];
  #fields: RowDescription['fields'] = [];
  #connection: ExtendedConnection | null = null;
  #resolve: (results: Row[][]) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  readonly #values: (string | Buffer | null)[][];

  /** @throws TypeError if a parameter cannot be encoded: thrown before anything is sent, because the response would never arrive. */
  constructor(private readonly statements: readonly Statement[]) {
    this.#values = statements.map(({ text, params, copy }) => {
      if (copy) return [writer.copied(params, copy)];
      const types = arrayTypes(text);
      return params.map((param, i) => writer.param(param, types[i]));
    });
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(pgConnection: Connection): void {
    const connection = pgConnection as unknown as ExtendedConnection;
    this.#connection = connection;
    const only = this.statements[0];
    if (this.statements.length === 1 && only && only.name === undefined && only.params.length === 0) {
      connection.query(only.text);
      return;
    }
    const names = prepared.get(connection) ?? new Set<string>();
    prepared.set(connection, names);
    connection.stream.cork();
    for (const [at, statement] of this.statements.entries()) this.#write(connection, statement, this.#values[at] ?? [], names);
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription(message: RowDescription): void {
    this.#fields = message.fields;
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    const row: Row = {};
    for (let i = 0; i < message.fields.length; i++) {
      const field = this.#fields[i] as RowDescription['fields'][number];
      const text = message.fields[i] as string | null;
      row[field.name] = text === null ? null : decodeText(field.dataTypeID, text);
    }
    this.#rows.push(row);
  }

  handleCommandComplete(): void {
    this.#results.push(this.#rows);
    this.#rows = [];
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete();
  }

  /** Its rows have already been sent. */
  handleCopyInResponse(): void {}

  handleReadyForQuery(): void {
    this.#resolve(this.#results);
  }

  /** From the backend (with a SQLSTATE) or from the connection (without). */
  handleError(error: Error & { code?: string; severity?: string }): void {
    // It is unknown whether a Parse before the error took effect: drop the connection and its names together.
    const names = this.#connection && prepared.get(this.#connection);
    for (const name of this.#fresh) names?.delete(name);
    this.#reject(sqlFault(error.severity === undefined ? undefined : error.code, error.message, error));
  }

  /** True if the connection must not be used again: it may have a prepared statement that this process does not know of. */
  get doubtful(): boolean {
    return this.#fresh.length > 0;
  }

  #write(
    connection: ExtendedConnection,
    { name = '', text, copy }: Statement,
    values: (string | Buffer | null)[],
    names: Set<string>,
  ): void {
    if (name === '' || !names.has(name)) {
      connection.parse({ name, text });
      if (name !== '') {
        names.add(name);
        this.#fresh.push(name);
      }
    }
    connection.bind({ statement: name, values: copy ? [] : values });
    connection.describe({ type: 'P', name: '' });
    connection.execute({});
    if (!copy) return;
    connection.sendCopyFromChunk(values[0] as Buffer);
    connection.endCopyFrom();
  }
}
