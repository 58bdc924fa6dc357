import { randomUUID } from 'node:crypto';
import { type McpHandlerRequestOptions, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Exchange } from './exchange.js';
import { McpServers } from './mcp-servers.service.js';
import { MCP_SETTINGS, type McpSettings } from './mcp-settings.js';
import { rpcError } from './rpc-error.js';
import { SessionTable } from './session-table.js';

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  server: Server;
}

const EXPIRED_EVERY_MS = 10_000;

const ownerOf = ({ caller: { issuer, principal } }: Exchange): string => JSON.stringify([issuer, principal.kind, principal.id]);

/**
 * The sessions of clients of 2025-11-25 and 2025-06-18. A session lives in the gateway that made it; any other one answers 404, and the
 * client starts again.
 */
@Injectable()
export class McpSessions implements OnModuleDestroy {
  private readonly table: SessionTable<Session>;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly servers: McpServers,
    @Inject(MCP_SETTINGS) settings: McpSettings,
  ) {
    const limits = { all_max: settings.sessions_max, tenant_max: settings.sessions_per_tenant_max, idle_ms: settings.session_idle_ms };
    this.table = new SessionTable(limits, ({ transport }) => void transport.close());
    this.timer = setInterval(() => this.table.expire(performance.now()), EXPIRED_EVERY_MS).unref();
  }

  get size(): number {
    return this.table.size;
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.table.clear();
  }

  /** The server of the session of a request, if it is the caller's. */
  serverOf(request: Request, exchange: Exchange): Server | undefined {
    return this.find(request.headers.get('mcp-session-id'), exchange)?.server;
  }

  async serve(request: Request, exchange: Exchange, options: McpHandlerRequestOptions): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.begin(request, exchange, options);
    const session = this.find(id, exchange);
    return session
      ? session.transport.handleRequest(request, options)
      : rpcError(404, { code: -32001, message: 'Session not found: initialize again' });
  }

  private find(id: string | null, exchange: Exchange): Session | undefined {
    return id === null ? undefined : this.table.find(id, exchange.caller.tenant_id, ownerOf(exchange), performance.now());
  }

  private async begin(request: Request, exchange: Exchange, options: McpHandlerRequestOptions): Promise<Response> {
    if (this.table.isFull(exchange.caller.tenant_id))
      return rpcError(503, { code: -32000, message: 'This gateway has too many sessions: retry later' });
    const server = this.servers.open('legacy');
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        const place = { tenant_id: exchange.caller.tenant_id, owner: ownerOf(exchange) };
        this.table.add(id, place, { transport, server }, performance.now());
      },
      onsessionclosed: (id) => this.table.forget(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, options);
    if (transport.sessionId === undefined) await server.close();
    return response;
  }
}
