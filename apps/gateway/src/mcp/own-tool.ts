import type { Caller } from '@countersign/calls';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ClientRequest } from './client-request.js';

/** A tool of the MCP server itself: it is in no registry, and its calls are not recorded as calls. */
export interface OwnTool {
  readonly tool: Tool;
  /** Whether this caller sees it in its list; `searches`: the list leaves the tools of the registry out. */
  isFor(caller: Caller, searches: boolean): boolean;
  /** Also called by callers that do not see it. */
  call(given: Record<string, unknown>, request: ClientRequest, meta: Record<string, unknown> | undefined): Promise<CallToolResult>;
}

/** Hints of a tool that changes nothing and reaches no other system. */
export const readsOnly: Tool['annotations'] = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** A tool as it is listed: its input schema is that of its check. */
export function described(name: string, title: string, description: string, inputs: z.ZodType, annotations: Tool['annotations']): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(inputs, { io: 'input' });
  return { name, title, description, inputSchema: inputSchema as Tool['inputSchema'], annotations: { title, ...annotations } };
}
