import type {
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerCapabilities,
  ServerContext,
  ServerEventBus,
  ServerOptions,
} from '@modelcontextprotocol/server';
import type { McpSettings } from './mcp-settings.js';

/** `legacy`: 2025-11-25 and 2025-06-18. */
export type Era = 'legacy' | 'modern';

/** A `tools/call` before it is submitted. */
export interface WrappedCall {
  tool: string;
  args: Record<string, unknown>;
  ctx: ServerContext;
  /** Submits the call with these arguments. `reported` receives the messages of its progress. */
  next(args: Record<string, unknown>, reported?: (message: string) => void): Promise<CallToolResult>;
}

/** A task as its client sees it. */
export interface ShownTask {
  taskId: string;
  status: string;
  [member: string]: unknown;
}

/**
 * What a pack adds to the MCP server beside tools. Only the pack `conformance` has one: the product itself offers tools and tasks, and asks
 * its clients nothing.
 */
export interface McpExtension {
  readonly capabilities: ServerCapabilities;
  readonly requestState: NonNullable<ServerOptions['requestState']>;
  /** Its changes, for `subscriptions/listen`. */
  readonly events: Pick<ServerEventBus, 'subscribe'>;
  /** Registers the handlers of its methods. */
  install(server: Server, era: Era): void;
  /** Whether calls of the tool go past `call`: their result alone is shown. */
  isPlain(tool: string): boolean;
  shown(result: CallToolResult): CallToolResult;
  call(call: WrappedCall): Promise<CallToolResult | InputRequiredResult>;
  task(task: ShownTask, tool: string): ShownTask;
  /** Responses of `tasks/update`. */
  answer(task_id: string, responses: Record<string, unknown>): void;
}

/** What a gateway gives to its MCP server. */
export interface McpParts {
  settings: McpSettings;
  extensions: McpExtensions;
}

/** The extension of this gateway, if it has one. */
export class McpExtensions {
  constructor(readonly loaded?: McpExtension) {}
}
