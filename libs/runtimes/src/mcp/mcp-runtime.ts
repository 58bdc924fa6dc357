import type { ToolContract } from '@countersign/contracts';
import type { Runtime, RuntimePack, ToolJob } from '../runtime.js';
import { toolId } from '../runtime.js';
import type { CalledTool, UpstreamSessions, UpstreamTarget } from './upstream.js';

export interface McpRuntimeOptions {
  readonly sessions: Pick<UpstreamSessions, 'call'>;
  readonly tool: CalledTool;
  /** The server of the call, with the credentials of its tenant or user. @throws ToolError if there is none now */
  readonly target: (context: ToolJob['context']) => Promise<UpstreamTarget>;
}

/** Runs one version of a tool at the MCP server of its tenant. */
export class McpRuntime implements Runtime {
  constructor(
    private readonly contract: ToolContract,
    private readonly options: McpRuntimeOptions,
  ) {}

  async load(): Promise<RuntimePack> {
    return { name: toolId(this.contract), tools: [{ contract: this.contract, asks: new Set() }] };
  }

  async run({ input, context }: ToolJob): Promise<unknown> {
    const { sessions, tool, target } = this.options;
    return sessions.call(await target(context), tool, input, context);
  }

  async close(): Promise<void> {}
}
