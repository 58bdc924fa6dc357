import { Refusal } from '@countersign/calls';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { parseBody } from '../requests/body-issues.js';
import { searchTools } from '../tools/tool-search.js';
import { CallableTools } from './callable-tools.service.js';
import type { ClientRequest } from './client-request.js';
import { resultOfRefusal } from './envelope-result.js';
import { described, type OwnTool, readsOnly } from './own-tool.js';
import { mcpTool } from './tool-form.js';

const inputs = z.strictObject({
  query: z.string().min(1).max(400).describe('words that describe the task, for example: refund a payment'),
  limit: z.int().min(1).max(20).default(5),
});

/** Finds tools by words, for callers whose tools are too many to list. */
@Injectable()
export class SearchToolsTool implements OwnTool {
  readonly tool = described(
    'search_tools',
    'Search tools',
    'Finds the tools for a task. Returns their names, descriptions and input schemas, best first. Then call one with call_tool.',
    inputs,
    readsOnly,
  );

  constructor(private readonly callable: CallableTools) {}

  isFor(_caller: unknown, searches: boolean): boolean {
    return searches;
  }

  async call(given: Record<string, unknown>, { caller }: ClientRequest): Promise<CallToolResult> {
    const parsed = parseBody(inputs, given);
    if (parsed instanceof Refusal) return resultOfRefusal(parsed);
    const ranked = searchTools(this.callable.of(caller), { q: parsed.query, capabilities: [] }, () => null);
    const tools = ranked.slice(0, parsed.limit).map(({ version }) => mcpTool(version));
    const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    return { content: [{ type: 'text', text: JSON.stringify(shown) }], structuredContent: { tools, total: ranked.length } };
  }
}
