import { InfrastructureFault, isInfrastructureFault } from '@countersign/contracts';
import pg from 'pg';
import { migrate } from '../migrations/migrate.js';
import { type Row, type Sql, type Statement, Store } from '../store.js';
import { StatementNames } from '../wire/statement-names.js';
import { Batch } from './batch.js';

export interface PostgresOptions {
  /** postgres://user:password@host:port/database */
  url: string;
  /** Maximum number of connections. Default 10. */
  pool_max?: number;
  connect_timeout_ms?: number;
  /**
   * A call without a response after this time fails and its connection is destroyed: a silent server must not block callers. Default 15
   * s.
   */
  answer_timeout_ms?: number;
}

/** Index plans for batched statements (see pglite/settings.ts); synchronous_commit never depends on a server's default. */
const SESSION = '-c synchronous_commit=on -c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off -c jit=off';

/** PostgreSQL 15 to 18 through pg: named prepared statements, one round trip for each call, and a pool that reconnects. */
export class PostgresStore extends Store {
  readonly durable = true;
  readonly #names = new StatementNames();

  private constructor(
    private readonly pool: pg.Pool,
    private readonly answer_timeout_ms: number,
  ) {
    super();
    // An idle connection was lost: the pool drops it and the next call opens another.
    pool.on('error', () => undefined);
    // A lost connection fails the call that uses it; this event only reports it a second time.
    pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** Connects and migrates. @throws InfrastructureFault where the server is unavailable; SchemaOutdated. */
  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const store = new PostgresStore(
      new pg.Pool({
        connectionString: options.url,
        max: options.pool_max ?? 10,
        connectionTimeoutMillis: options.connect_timeout_ms ?? 5_000,
        keepAlive: true,
        options: SESSION,
      }),
      options.answer_timeout_ms ?? 15_000,
    );
    try {
      await migrate(store);
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async query<R extends Row>(statement: Statement): Promise<R[]> {
    const [rows] = await this.#run([statement]);
    return rows as R[];
  }

  async atomically(statements: readonly Statement[]): Promise<Row[][]> {
    return statements.length === 0 ? [] : await this.#run(statements);
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = true;
    try {
      await send(client, [{ text: 'BEGIN', params: [] }]);
      const result = await work({
        query: async <R extends Row>(statement: Statement) => {
          this.#names.check([statement]);
          return (await send(client, [statement])).flat() as R[];
        },
      });
      await send(client, [{ text: 'COMMIT', params: [] }]);
      broken = false;
      return result;
    } finally {
      // Releasing a connection as broken closes it, and the server rolls back.
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  async #run(statements: readonly Statement[]): Promise<Row[][]> {
    this.#names.check(statements);
    const batch = new Batch(statements);
    const client = await this.#connect();
    let broken = false;
    const timer = setTimeout(() => hangUp(client), this.answer_timeout_ms);
    try {
      client.query(batch);
      return await batch.done;
    } catch (error) {
      broken = batch.doubtful || isInfrastructureFault(error);
      throw error;
    } finally {
      clearTimeout(timer);
      client.release(broken);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw new InfrastructureFault('the database cannot be reached', { cause: error });
    }
  }
}

async function send(client: pg.PoolClient, statements: readonly Statement[]): Promise<Row[][]> {
  const batch = new Batch(statements);
  client.query(batch);
  return await batch.done;
}

/** Makes pg fail the calls on the connection. Its types omit the socket. */
function hangUp(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(error: Error): void } } };
  connection.stream.destroy(new Error('the database did not answer in time'));
}
