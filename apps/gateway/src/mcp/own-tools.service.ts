import type { Caller } from '@countersign/calls';
import { Injectable } from '@nestjs/common';
import { ApproverTools } from './approver-tools.service.js';
import { CallToolTool } from './call-tool.service.js';
import { GetCallTool } from './get-call.service.js';
import type { OwnTool } from './own-tool.js';
import { SearchToolsTool } from './search-tools.service.js';

/** The server's own tools. A tool of the registry with one of these names is hidden: it could pass for the real one. */
@Injectable()
export class OwnTools {
  private readonly all: readonly OwnTool[];

  constructor(get_call: GetCallTool, search_tools: SearchToolsTool, call_tool: CallToolTool, approver_tools: ApproverTools) {
    this.all = [get_call, search_tools, call_tool, ...approver_tools.all];
  }

  of(caller: Caller, searches: boolean): readonly OwnTool[] {
    return this.all.filter((own) => own.isFor(caller, searches));
  }

  named(name: string): OwnTool | undefined {
    return this.all.find(({ tool }) => tool.name === name);
  }
}
