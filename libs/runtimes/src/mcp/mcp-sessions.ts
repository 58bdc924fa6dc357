import { createHash } from 'node:crypto';
import type { OutboundDoor } from '@countersign/outbound';
import { isToolError, ToolError } from '@countersign/tool-kit';
import type { Progress } from '@modelcontextprotocol/client';
import type { CommandHost } from './command-host.js';
import { Exchange } from './exchange.js';
import { listingFault } from './listing-fault.js';
import { LIST_BYTES_MAX, type ListedSession, type McpSession, SessionNotOpened } from './mcp-session.js';
import { UpstreamUnusable } from './not-started.js';
import { outputOf } from './result-content.js';
import { UpstreamMask } from './secrets.js';
import { SessionOpener } from './session-opener.js';
import { type SessionKey, SessionTable, type TableLimits } from './session-table.js';
import type {
  CalledTool,
  Listing,
  UpstreamEvents,
  UpstreamOutput,
  UpstreamPlace,
  UpstreamRun,
  UpstreamSessions,
  UpstreamTarget,
} from './upstream.js';
import { notHandedOver, toolErrorOf } from './upstream-fault.js';

/** Around a result: the envelope of its message, and reports of its progress. */
const AROUND_RESULT_BYTES = 256 * 1024;
const LISTING_MS = 60_000;
/** Sessions over HTTP cost little: most of the time, none of them has a connection. */
const HTTP_LIMITS = { per_tenant_max: 64, all_max: 1_000 };

export interface McpSessionsOptions {
  readonly door: OutboundDoor;
  readonly events: UpstreamEvents;
  readonly commands: CommandHost;
  /** Limits of processes. */
  readonly processes: TableLimits;
  /** How long an idle session over HTTP is kept. */
  readonly idle_ms: number;
}

/** Sessions with MCP servers over HTTP and with processes of the installation's commands. */
export class McpSessions implements UpstreamSessions {
  private readonly tables: Readonly<Record<UpstreamPlace['kind'], SessionTable>>;
  private readonly opener: SessionOpener;

  constructor(private readonly options: McpSessionsOptions) {
    const { processes, idle_ms } = options;
    this.tables = { command: new SessionTable(processes), http: new SessionTable({ ...HTTP_LIMITS, idle_ms }) };
    this.opener = new SessionOpener(options);
  }

  unavailable(kind: UpstreamPlace['kind']): string | undefined {
    return kind === 'command' ? this.options.commands.fault : undefined;
  }

  async list(target: UpstreamTarget, signal: AbortSignal): Promise<Listing> {
    const mask = new UpstreamMask(target.credentials);
    const terms = { bytes_max: LIST_BYTES_MAX, bearer: target.credentials.bearer };
    for (let renewals = 0; ; renewals++) {
      const exchange = new Exchange({ ...terms, signal: AbortSignal.any([signal, AbortSignal.timeout(LISTING_MS)]) });
      let session: McpSession | undefined;
      try {
        session = await this.sessionOf(target, exchange.signal);
        return { kind: 'complete', ...(await maskedList(mask, await session.list(exchange, target.timeout_ms))) };
      } catch (cause) {
        if (this.isLost(session, exchange) && renewals === 0) continue;
        const failed = listingFault(cause, exchange);
        return { ...failed, reason: mask.text(failed.reason).slice(0, 500) };
      }
    }
  }

  async call(target: UpstreamTarget, tool: CalledTool, inputs: unknown, run: UpstreamRun): Promise<UpstreamOutput> {
    const mask = new UpstreamMask(target.credentials);
    for (let renewals = 0; ; renewals++) {
      const terms = { bytes_max: target.max_output_bytes + AROUND_RESULT_BYTES, bearer: target.credentials.bearer, signal: run.signal };
      const exchange = new Exchange(terms);
      let session: McpSession | undefined;
      try {
        session = await this.sessionOf(target, run.signal);
        const result = await session.call(exchange, tool, inputs, timeoutOf(target, run), (report) => progress(run, report));
        return await outputOf(result, run);
      } catch (cause) {
        // The server knows no such session, so it has run nothing.
        if (this.isLost(session, exchange) && renewals === 0) continue;
        const error = errorOf(cause, exchange);
        // The time of the executor may be over a moment before the session's own.
        if (session && (error.code === 'TIMEOUT' || run.signal.aborted)) void this.dropIfStalled(target, session);
        throw mask.error(error);
      }
    }
  }

  release(tenant_id: string, upstream: string, below_revision: number): void {
    for (const table of Object.values(this.tables)) table.release(tenant_id, upstream, below_revision);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.tables).map((table) => table.close()));
  }

  private async sessionOf(target: UpstreamTarget, signal: AbortSignal): Promise<McpSession> {
    if (signal.aborted) throw notHandedOver('it was stopped before');
    const usable = this.usable(target);
    let stop: (() => void) | undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(notHandedOver('it was stopped before a session was open'));
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([usable, stopped]);
    } finally {
      if (stop) signal.removeEventListener('abort', stop);
    }
  }

  /** A session that may have stalled is waited for: what is sent to it now could be lost. */
  private async usable(target: UpstreamTarget): Promise<McpSession> {
    const open = () => this.tables[target.place.kind].get(keyOf(target), () => this.opener.open(target));
    const session = await open();
    if (!session.checked) return session;
    await session.checked;
    return open();
  }

  /** A server that does not even answer a ping is not asked again: the next call opens a session, or starts a process. */
  private async dropIfStalled({ place }: UpstreamTarget, session: McpSession): Promise<void> {
    if (session.is_closed || (await session.check())) return;
    this.tables[place.kind].drop(session);
    await session.close();
  }

  /** Whether the server has forgotten the session. It is not used again. */
  private isLost(session: McpSession | undefined, { refusal }: Exchange): boolean {
    if (!session?.has_id || !refusal) return false;
    // Servers before the specification said so answer 400.
    const is_lost = refusal.status === 404 || (refusal.status === 400 && /session/i.test(refusal.text));
    if (is_lost) this.tables.http.drop(session);
    return is_lost;
  }
}

/** @throws ToolError if there is no time left */
function timeoutOf({ timeout_ms }: UpstreamTarget, { deadline_ms }: UpstreamRun): number {
  const left_ms = Math.min(timeout_ms, deadline_ms - Date.now());
  if (left_ms <= 0) throw notHandedOver('its deadline has passed');
  return left_ms;
}

async function maskedList(mask: UpstreamMask, { tools, refused, ...rest }: ListedSession): Promise<ListedSession> {
  return { ...mask.record(rest), tools: await mask.each(tools), refused: await mask.each(refused) };
}

function errorOf(cause: unknown, exchange: Exchange): ToolError {
  if (cause instanceof UpstreamUnusable)
    return new ToolError('PROVIDER_ERROR', `the upstream cannot be used: ${cause.message}`, { effect: 'none', retryable: false });
  if (cause instanceof SessionNotOpened) return withoutEffect(toolErrorOf(cause.cause, cause.exchange));
  return isToolError(cause) ? cause : toolErrorOf(cause, exchange);
}

/** An error before the call was sent. */
const withoutEffect = ({ code, message, more }: ToolError): ToolError => new ToolError(code, message, { ...more, effect: 'none' });

function progress(run: UpstreamRun, { progress: done, total, message }: Progress): void {
  const fraction = total !== undefined && total > 0 ? Math.min(Math.max(done / total, 0), 1) : 0;
  run.progress(fraction, (message ?? '').slice(0, 200));
}

/** A tenant's secrets decide who it is at the server: a process with other ones is another process. */
function keyOf({ tenant_id, upstream, revision, credentials }: UpstreamTarget): SessionKey {
  const { user_id, env = {} } = credentials;
  const variables = JSON.stringify(Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { tenant_id, upstream, revision, owner: JSON.stringify([user_id, createHash('sha256').update(variables).digest('base64')]) };
}
