import { Calls, Refusal } from '@countersign/calls';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { parseBody } from '../requests/body-issues.js';
import type { ClientRequest } from './client-request.js';
import { resultOfEnvelope, resultOfRefusal } from './envelope-result.js';
import { MCP_SETTINGS, type McpSettings } from './mcp-settings.js';
import { described, type OwnTool, readsOnly } from './own-tool.js';

const inputs = z.strictObject({ call_id: z.string().min(1).max(100).describe('the id of the call, from its answer') });

/** Waits for the end of a recorded call, for clients without tasks. */
@Injectable()
export class GetCallTool implements OwnTool {
  readonly tool = described(
    'get_call',
    'Read a call',
    'Waits for the result of a tool call that had not ended when it was answered (it waited for an approval, or it took long), and returns it. ' +
      'If the call still has not ended, call this tool again.',
    inputs,
    readsOnly,
  );

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
