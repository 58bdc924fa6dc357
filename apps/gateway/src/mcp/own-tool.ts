import type { Caller } from '@countersign/calls';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { Exchange } from './exchange.js';

/** A tool of the MCP server itself: it is in no registry, and its calls are not recorded as calls. */
export interface OwnTool {
  readonly tool: Tool;
  /** Whether this caller sees it in its list. */
  isFor(caller: Caller): boolean;
  /** Also called by callers that do not see it. */
  call(given: Record<string, unknown>, exchange: Exchange): Promise<CallToolResult>;
}
