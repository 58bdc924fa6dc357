import type { Caller } from '@countersign/calls';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, type McpHandlerRequestOptions, type McpHttpHandler } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { type Exchange, exchangeOf, sdkRequest } from './exchange.js';
import { McpServers } from './mcp-servers.service.js';
import { McpSessions } from './mcp-sessions.service.js';

/** `/mcp`: Streamable HTTP. Requests of 2026-07-28 stand alone; earlier revisions have sessions. */
@Injectable()
export class McpEndpoint {
  /** One for each tenant: its subscriptions hear of its own changes only. */
  private readonly handlers = new Map<string, McpHttpHandler>();
  private readonly respond = toNodeHandler({ fetch: (request, options) => this.route(request, options ?? {}) });

  constructor(
    private readonly servers: McpServers,
    private readonly sessions: McpSessions,
  ) {}

  async serve(request: HttpRequest, reply: HttpReply, caller: Caller): Promise<void> {
    reply.hijack();
    await this.respond(sdkRequest(request, exchangeOf(request, caller)), reply.raw, request.body);
  }

  private async route(request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const exchange = options.authInfo?.extra?.exchange as Exchange;
    if (await isLegacyRequest(request, options.parsedBody)) return this.sessions.serve(request, exchange, options);
    return this.handlerOf(exchange.caller.tenant_id).fetch(request, options);
  }

  private handlerOf(tenant_id: string): McpHttpHandler {
    const known = this.handlers.get(tenant_id);
    if (known) return known;
    const handler = createMcpHandler(() => this.servers.open(), { legacy: 'reject' });
    this.handlers.set(tenant_id, handler);
    return handler;
  }
}
