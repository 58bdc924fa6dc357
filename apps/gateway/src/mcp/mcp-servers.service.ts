import { type CallToolResult, Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { ToolCallParams } from './call-of-request.js';
import { type ClientRequest, clientRequest } from './client-request.js';
import { exchangeIn } from './exchange.js';
import { OwnTools } from './own-tools.service.js';
import { ToolCallsService } from './tool-calls.service.js';
import { ToolListing } from './tool-listing.service.js';

/** Revisions with a handshake; the later ones are served request by request. */
const HANDSHAKE_REVISIONS = ['2025-11-25', '2025-06-18'];

/** How long a client may use a list of tools. A change is announced as well. */
const TOOLS_TTL_MS = 60_000;

const INFO = { name: 'countersign', title: 'Countersign', version: '0.1.0' };

const INSTRUCTIONS =
  'Calls are checked by policy, may wait for the approval of a person, and writes run once: an equal call is answered with the result of the ' +
  'first. If a call has not ended yet, read its result with the tool get_call; do not call the tool again with other inputs.';

/** Makes the protocol servers: one for each request of 2026-07-28, one for each session of an earlier revision. */
@Injectable()
export class McpServers {
  constructor(
    private readonly listing: ToolListing,
    private readonly calls: ToolCallsService,
    private readonly own: OwnTools,
  ) {}

  open(): Server {
    const server = new Server(INFO, {
      capabilities: { tools: { listChanged: true } },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: HANDSHAKE_REVISIONS,
      cacheHints: { 'tools/list': { ttlMs: TOOLS_TTL_MS, cacheScope: 'private' } },
    });
    server.setRequestHandler('tools/list', (_request, context) => ({ tools: this.listing.of(exchangeIn(context)) }));
    server.setRequestHandler('tools/call', ({ params }, context) => this.called(params, clientRequest(context)));
    return server;
  }

  private called(params: ToolCallParams, request: ClientRequest): Promise<CallToolResult> {
    const own = this.own.named(params.name);
    return own ? own.call(params.arguments ?? {}, request, params._meta) : this.calls.call(params, request);
  }
}
