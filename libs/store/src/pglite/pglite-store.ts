import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InfrastructureFault } from '@countersign/contracts';
import { migrate, SchemaOutdated } from '../migrations/migrate.js';
import { type Row, type Sql, type Statement, Store } from '../store.js';
import { StatementNames } from '../wire/statement-names.js';
import { DatabaseUnusable, PgliteConnection, type RunOptions } from './connection.js';
import { Maintenance } from './maintenance.js';
import { snapshotFile } from './snapshot.js';

export interface PgliteOptions {
  /** The database's own directory (created if missing); the caller holds the lock that keeps other processes out. Or `memory`. */
  dir?: string;
  memory?: true;
  /** Directory that caches the snapshot of an empty database between starts. Default: beside node_modules. */
  cache_dir?: string;
}

/** The opened store, or why it cannot be opened: then delete the directory (`PgliteStore.reset`), open again and refold from the log. */
export type PgliteOpened = { store: PgliteStore } | { unusable: 'damaged' | 'outdated'; cause: Error };

const MAINTENANCE_MS = 250;

/**
 * PostgreSQL in a worker thread (PGlite). Never fsyncs, because its tables are a fold of the log. Hot requests run before background
 * ones; a request is never interrupted, so keep a background transaction to 500 rows.
 */
export class PgliteStore extends Store {
  readonly durable = false;
  readonly #names = new StatementNames();
  readonly #maintenance = new Maintenance();
  readonly #timer: NodeJS.Timeout;
  #connection: PgliteConnection;
  #reopening: Promise<void> | null = null;
  #maintaining: Promise<void> = Promise.resolve();
  #lastSession = 0;
  #closed = false;

  private constructor(
    connection: PgliteConnection,
    private readonly reopen: (() => Promise<PgliteConnection>) | null,
  ) {
    super();
    this.#connection = connection;
    this.#timer = setInterval(() => this.#maintain(), MAINTENANCE_MS);
    this.#timer.unref();
  }

  /** @throws DatabaseUnusable if the directory cannot be used for a reason outside of the store; see `tryOpen`. */
  static async open(options: PgliteOptions): Promise<PgliteStore> {
    const opened = await PgliteStore.tryOpen(options);
    if ('store' in opened) return opened.store;
    throw opened.cause;
  }

  static async tryOpen(options: PgliteOptions): Promise<PgliteOpened> {
    const snapshot = await snapshotFile(options.cache_dir);
    const dir = options.memory ? null : (options.dir ?? null);
    if (dir === null && !options.memory) throw new TypeError('either dir or memory must be set');
    if (dir !== null && !(await isComplete(dir))) await PgliteStore.reset(dir);
    const open = (): Promise<PgliteConnection> => PgliteConnection.open({ dir, snapshot });
    let connection: PgliteConnection;
    try {
      connection = await open();
    } catch (error) {
      if (error instanceof DatabaseUnusable) return { unusable: 'damaged', cause: error };
      throw error;
    }
    const store = new PgliteStore(connection, dir === null ? null : open);
    try {
      await migrate(store);
    } catch (error) {
      await store.close();
      if (error instanceof SchemaOutdated) return { unusable: 'outdated', cause: error };
      return { unusable: 'damaged', cause: error as Error };
    }
    if (dir !== null) await writeFile(join(dir, COMPLETE), '', { mode: 0o600 });
    return { store };
  }

  /** Deletes the database's directory. */
  static async reset(dir: string): Promise<void> {
    await rm(dir, { recursive: true, force: true });
  }

  async query<R extends Row>(statement: Statement): Promise<R[]> {
    const [rows] = await this.#run([statement]);
    return rows as R[];
  }

  async atomically(statements: readonly Statement[], priority: 'hot' | 'background' = 'hot'): Promise<Row[][]> {
    if (statements.length === 0) return [];
    return await this.#run(statements, { background: priority === 'background' });
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const session = ++this.#lastSession;
    const one = (text: string, closes = false) => this.#run([{ text, params: [] }], { session, closes });
    await one('BEGIN');
    try {
      const result = await work({
        query: async <R extends Row>(statement: Statement) => (await this.#run([statement], { session })).flat() as R[],
      });
      await one('COMMIT', true);
      return result;
    } catch (error) {
      await one('ROLLBACK', true).catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#maintaining;
    await this.#connection.close();
  }

  async #run(statements: readonly Statement[], options?: RunOptions): Promise<Row[][]> {
    this.#names.check(statements);
    if (this.#connection.lost) await this.#recover();
    const answer = await this.#connection.run(statements, options);
    for (let i = 0; i < answer.tags.length; i++) this.#maintenance.note(statements[i]?.text ?? '', answer.tags[i] as string);
    return answer.rows;
  }

  /** The thread died (out of memory, disk full): the files are in the state of a killed process, so the thread is started again. */
  async #recover(): Promise<void> {
    if (this.#closed || !this.reopen) throw new InfrastructureFault(this.#closed ? 'the store is closed' : 'the database failed');
    this.#reopening ??= this.reopen()
      .then((connection) => {
        this.#connection = connection;
      })
      .catch((error: unknown) => {
        throw new InfrastructureFault('the database could not be restarted', { cause: error });
      })
      .finally(() => {
        this.#reopening = null;
      });
    await this.#reopening;
  }

  #maintain(): void {
    const due = this.#connection.lost ? [] : this.#maintenance.due();
    for (const text of due) {
      // A failed ANALYZE or VACUUM (for example of a dropped table) costs only speed; it is due again after more changes.
      this.#maintaining = this.#maintaining
        .then(() => this.#connection.run([{ text, params: [] }], { background: true }))
        .then(
          () => undefined,
          () => undefined,
        );
    }
  }
}

const COMPLETE = 'countersign.complete';

/** False if the directory is missing or an interrupted first start left it incomplete. */
async function isComplete(dir: string): Promise<boolean> {
  return await readFile(join(dir, COMPLETE)).then(
    () => true,
    () => false,
  );
}
