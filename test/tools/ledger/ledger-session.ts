import { isToolError, type RunContext, ToolError } from '@countersign/tool-kit';
import pg from 'pg';

/** The connection string of the ledger; its `options` name the schema (`options=-csearch_path=…`). */
export const LEDGER_SETTING = 'LEDGER_URL';
const CONNECT_MS = 5_000;

/** The connection of one run. It is closed when the run ends or is aborted, and Postgres then takes back what is not committed. */
export class LedgerSession {
  /** Whether a failure now leaves open what happened: from the first commit on, and while another run of the key is in progress. */
  outcome_is_open = false;

  constructor(
    readonly ctx: RunContext,
    private readonly client: pg.Client,
  ) {}

  async rows<R extends pg.QueryResultRow>(text: string, params: readonly unknown[] = []): Promise<R[]> {
    if (this.ctx.signal.aborted) throw new Error('the run was aborted');
    return (await this.client.query<R>(text, [...params])).rows;
  }

  async row<R extends pg.QueryResultRow>(text: string, params: readonly unknown[] = []): Promise<R | undefined> {
    return (await this.rows<R>(text, params))[0];
  }

  /** Commits what `work` did, or nothing if it throws. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.rows('BEGIN');
    try {
      const result = await work();
      if (this.ctx.signal.aborted) throw new Error('the run was aborted');
      this.outcome_is_open = true;
      await this.client.query('COMMIT');
      return result;
    } catch (error) {
      // A connection that is gone has rolled back already.
      await this.client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }
}

/**
 * Runs `work` on a connection of its own.
 * @throws ToolError with effect `none` unless the outcome is open
 */
export async function inLedger<T>(ctx: RunContext, work: (session: LedgerSession) => Promise<T>): Promise<T> {
  if (ctx.signal.aborted) throw new ToolError('CANCELLED', 'the run was aborted before it began', { effect: 'none' });
  const client = connection(ctx);
  const session = new LedgerSession(ctx, client);
  const abort = () => void client.end().catch(() => undefined);
  ctx.signal.addEventListener('abort', abort, { once: true });
  try {
    await client.connect();
    return await work(session);
  } catch (error) {
    throw asToolError(error, session);
  } finally {
    ctx.signal.removeEventListener('abort', abort);
    await client.end().catch(() => undefined);
  }
}

function connection({ settings, deadline_ms }: RunContext): pg.Client {
  const url = settings[LEDGER_SETTING];
  if (!url) throw new ToolError('PROVIDER_ERROR', `${LEDGER_SETTING} is not set`, { effect: 'none' });
  const statement_timeout = Math.max(1, deadline_ms - Date.now());
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, statement_timeout });
  // Queries that run then are rejected; without a listener the event would end the process.
  client.on('error', () => undefined);
  return client;
}

function asToolError(error: unknown, { ctx, outcome_is_open }: LedgerSession): ToolError {
  if (isToolError(error)) return error;
  const effect = outcome_is_open ? {} : { effect: 'none' as const };
  if (ctx.signal.aborted) return new ToolError('TIMEOUT', 'the run was aborted before the ledger answered', effect);
  const { code } = error as { code?: unknown };
  // Five characters are a SQLSTATE: the server answered.
  if (typeof code === 'string' && code.length === 5) return new ToolError('PROVIDER_ERROR', `the ledger failed with ${code}`, effect);
  return new ToolError('NETWORK_ERROR', `the connection to the ledger failed (${String(code ?? (error as Error).message)})`, effect);
}
