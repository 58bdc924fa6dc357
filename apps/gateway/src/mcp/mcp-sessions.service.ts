import { randomUUID } from 'node:crypto';
import { type McpHandlerRequestOptions, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { type Exchange } from './exchange.js';
import { McpServers } from './mcp-servers.service.js';
import { rpcError } from './rpc-error.js';

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  owner: string;
}

const ownerOf = ({ caller: { tenant_id, issuer, principal } }: Exchange): string =>
  JSON.stringify([tenant_id, issuer, principal.kind, principal.id]);

/**
 * The sessions of clients of 2025-11-25 and 2025-06-18. A session lives in the gateway that made it; any other one answers 404, and the
 * client starts again.
 */
@Injectable()
export class McpSessions {
  private readonly sessions = new Map<string, Session>();

  constructor(private readonly servers: McpServers) {}

  async serve(request: Request, exchange: Exchange, options: McpHandlerRequestOptions): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.begin(request, exchange, options);
    const session = this.sessions.get(id);
    if (session?.owner !== ownerOf(exchange)) return rpcError(404, -32001, 'Session not found: initialize again');
    return session.transport.handleRequest(request, options);
  }

  private async begin(request: Request, exchange: Exchange, options: McpHandlerRequestOptions): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.sessions.set(id, { transport, owner: ownerOf(exchange) });
      },
      onsessionclosed: (id) => {
        this.sessions.delete(id);
      },
    });
    await this.servers.open().connect(transport);
    return transport.handleRequest(request, options);
  }
}
