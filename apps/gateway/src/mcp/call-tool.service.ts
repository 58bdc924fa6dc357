import { Refusal } from '@countersign/calls';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { parseBody } from '../requests/body-issues.js';
import type { ClientRequest } from './client-request.js';
import { resultOfRefusal } from './envelope-result.js';
import { described, type OwnTool } from './own-tool.js';
import { ToolCallsService } from './tool-calls.service.js';

const inputs = z.strictObject({
  name: z.string().min(1).max(128).describe('the name of the tool'),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

/** Calls a tool that `search_tools` found: most clients let a model call only what they listed. */
@Injectable()
export class CallToolTool implements OwnTool {
  readonly tool = described(
    'call_tool',
    'Call a found tool',
    'Calls a tool that search_tools found, with arguments that match its input schema.',
    inputs,
    { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  );

  constructor(private readonly calls: ToolCallsService) {}

  isFor(_caller: unknown, searches: boolean): boolean {
    return searches;
  }

  async call(given: Record<string, unknown>, request: ClientRequest, _meta: Record<string, unknown> | undefined): Promise<CallToolResult> {
    const parsed = parseBody(inputs, given);
    return parsed instanceof Refusal ? resultOfRefusal(parsed) : this.calls.call({ ...parsed, _meta }, request);
  }
}
