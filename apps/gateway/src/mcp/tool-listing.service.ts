import { sha256Hex } from '@countersign/contracts';
import type { Tool } from '@modelcontextprotocol/server';
import { Inject, Injectable } from '@nestjs/common';
import { CallableTools } from './callable-tools.service.js';
import type { Exchange } from './exchange.js';
import { MCP_SETTINGS, type McpSettings } from './mcp-settings.js';
import { OwnTools } from './own-tools.service.js';
import { mcpAlias, mcpTool } from './tool-form.js';

/** Who lists tools, and what its configuration asks for. */
export type Lister = Pick<Exchange, 'caller' | 'tools'>;

/** What `tools/list` answers. */
@Injectable()
export class ToolListing {
  constructor(
    private readonly callable: CallableTools,
    private readonly own: OwnTools,
    @Inject(MCP_SETTINGS) private readonly settings: McpSettings,
  ) {}

  /**
   * The tools of the registry by name, or `search_tools` where they are too many; then aliases, and the server's own. The order is always
   * the same.
   */
  of(lister: Lister): Tool[] {
    const callable = this.callable.of(lister.caller).filter(({ tool }) => !this.own.named(tool.name));
    const searches = lister.tools === undefined ? callable.length > this.settings.tools_listed_max : lister.tools === 'search';
    const own = this.own.of(lister.caller, searches).map(({ tool }) => tool);
    const aliases = this.callable.aliased(lister.caller).map(mcpAlias);
    return [...(searches ? [] : callable.map(mcpTool)), ...aliases, ...own];
  }

  /** Differs if the list differs. */
  digest(lister: Lister): string {
    return sha256Hex(JSON.stringify(this.of(lister)));
  }
}
