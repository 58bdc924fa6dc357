import { type CallToolResult, type InputRequiredResult, Server, type ServerContext } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { ToolCallParams } from './call-of-request.js';
import { clientRequest, reportingTo } from './client-request.js';
import { exchangeIn } from './exchange.js';
import { McpAdditions } from './mcp-additions.service.js';
import type { Era } from './mcp-extension.js';
import { SERVER_INFO } from './server-info.js';
import { ToolCalling } from './tool-calling.service.js';
import { ToolListing } from './tool-listing.service.js';

/** Revisions with a handshake; the later ones are served request by request. */
const HANDSHAKE_REVISIONS = ['2025-11-25', '2025-06-18'];

/** How long a client may use a list of tools. A change is announced as well. */
const TOOLS_TTL_MS = 60_000;

const INSTRUCTIONS =
  'Calls are checked by policy, may wait for the approval of a person, and writes run once: an equal call is answered with the result of the ' +
  'first. If a call has not ended yet, read its result with the tool get_call; do not call the tool again with other inputs.';

/** Makes the protocol servers: one for each request of 2026-07-28, one for each session of an earlier revision. */
@Injectable()
export class McpServers {
  constructor(
    private readonly listing: ToolListing,
    private readonly calling: ToolCalling,
    private readonly additions: McpAdditions,
  ) {}

  open(era: Era): Server {
    const { capabilities, ...more } = this.additions.options(era);
    const server = new Server(SERVER_INFO, {
      ...more,
      capabilities: { ...capabilities, tools: { listChanged: true } },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: HANDSHAKE_REVISIONS,
      cacheHints: { 'tools/list': { ttlMs: TOOLS_TTL_MS, cacheScope: 'private' } },
    });
    server.setRequestHandler('tools/list', (_request, context) => ({ tools: this.listing.of(exchangeIn(context)) }));
    server.setRequestHandler('tools/call', ({ params }, context) => this.called(params, context));
    this.additions.serve(server, era);
    return server;
  }

  private called(params: ToolCallParams, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const request = clientRequest(context);
    const submit = (args: Record<string, unknown>, reported?: (message: string) => void) =>
      this.calling.call({ ...params, arguments: args }, reported ? reportingTo(request, reported) : request);
    return this.additions.call(params.name, params.arguments ?? {}, context, submit);
  }
}
