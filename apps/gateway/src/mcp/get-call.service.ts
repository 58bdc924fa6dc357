import { Calls, Refusal } from '@countersign/calls';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { parseBody } from '../requests/body-issues.js';
import type { ClientRequest } from './client-request.js';
import { resultOfEnvelope, resultOfRefusal } from './envelope-result.js';
import { MCP_SETTINGS, type McpSettings } from './mcp-settings.js';
import type { OwnTool } from './own-tool.js';

const inputs = z.strictObject({ call_id: z.string().min(1).max(100) });

/** Waits for the end of a recorded call, for clients without tasks. */
@Injectable()
export class GetCallTool implements OwnTool {
  readonly tool: Tool = {
    name: 'get_call',
    title: 'Read a call',
    description:
      'Waits for the result of a tool call that had not ended when it was answered (it waited for an approval, or it took long), and returns it. ' +
      'If the call still has not ended, call this tool again.',
    inputSchema: {
      type: 'object',
      properties: { call_id: { type: 'string', description: 'the id of the call, from its answer' } },
      required: ['call_id'],
      additionalProperties: false,
    },
    annotations: { title: 'Read a call', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };

  constructor(
    private readonly calls: Calls,
    @Inject(MCP_SETTINGS) private readonly settings: McpSettings,
  ) {}

  isFor(): boolean {
    return true;
  }

  async call(given: Record<string, unknown>, { caller }: ClientRequest): Promise<CallToolResult> {
    const parsed = parseBody(inputs, given);
    if (parsed instanceof Refusal) return resultOfRefusal(parsed);
    const reading = await this.calls.wait({ caller, call_id: parsed.call_id }, this.settings.wait_ms);
    return reading instanceof Refusal ? resultOfRefusal(reading) : resultOfEnvelope(reading.envelope);
  }
}
