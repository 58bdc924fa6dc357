import type { Caller } from '@countersign/calls';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { ClientRequest } from './client-request.js';

/** A tool of the MCP server itself: it is in no registry, and its calls are not recorded as calls. */
export interface OwnTool {
  readonly tool: Tool;
  /** Whether this caller sees it in its list; `searches`: the list leaves the tools of the registry out. */
  isFor(caller: Caller, searches: boolean): boolean;
  /** Also called by callers that do not see it. */
  call(given: Record<string, unknown>, request: ClientRequest, meta: Record<string, unknown> | undefined): Promise<CallToolResult>;
}
