import type {
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerCapabilities,
  ServerContext,
  ServerOptions,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { type Era, McpExtensions, type WrappedCall } from './mcp-extension.js';
import { TASKS } from './task-extension.js';
import { TaskMethods } from './task-methods.service.js';

/** What a server has beside tools: the tasks of 2026-07-28, and the extension of the pack `conformance` if it is loaded. */
@Injectable()
export class McpAdditions {
  constructor(
    private readonly tasks: TaskMethods,
    private readonly extensions: McpExtensions,
  ) {}

  options(era: Era): Pick<ServerOptions, 'requestState'> & { capabilities: ServerCapabilities } {
    const { loaded } = this.extensions;
    const capabilities = { ...(era === 'modern' && { extensions: { [TASKS]: {} } }), ...loaded?.capabilities };
    return { capabilities, ...(loaded && { requestState: loaded.requestState }) };
  }

  serve(server: Server, era: Era): void {
    if (era === 'modern') this.tasks.serve(server);
    this.extensions.loaded?.install(server, era);
  }

  /** Submits a call, through the extension if there is one. */
  call(
    tool: string,
    args: Record<string, unknown>,
    ctx: ServerContext,
    next: WrappedCall['next'],
  ): Promise<CallToolResult | InputRequiredResult> {
    const { loaded } = this.extensions;
    return loaded ? loaded.call({ tool, args, ctx, next }) : next(args);
  }
}
