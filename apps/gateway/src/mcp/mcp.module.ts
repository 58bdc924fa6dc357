import type { Logger } from '@countersign/process';
import { type DynamicModule, Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ApproverAnswers, ApproverTools, DecideApprovalTool, ListApprovalsTool, ReadApprovalTool } from './approver-tools.service.js';
import { CallToolTool } from './call-tool.service.js';
import { CallableTools } from './callable-tools.service.js';
import { DirectAnswers } from './direct-answers.service.js';
import { GetCallTool } from './get-call.service.js';
import { McpController } from './mcp.controller.js';
import { McpAdditions } from './mcp-additions.service.js';
import { McpEndpoint } from './mcp-endpoint.service.js';
import { McpExtensions, type McpParts } from './mcp-extension.js';
import { McpRoutes } from './mcp-routes.service.js';
import { McpServers } from './mcp-servers.service.js';
import { McpSessions } from './mcp-sessions.service.js';
import { MCP_LOGGER, MCP_SETTINGS } from './mcp-settings.js';
import { OwnTools } from './own-tools.service.js';
import { ProtectedResourceController } from './protected-resource.controller.js';
import { SearchToolsTool } from './search-tools.service.js';
import { TaskMethods } from './task-methods.service.js';
import { TasksService } from './tasks.service.js';
import { ToolCalling } from './tool-calling.service.js';
import { ToolCallsService } from './tool-calls.service.js';
import { ToolListChanges } from './tool-list-changes.service.js';
import { ToolListing } from './tool-listing.service.js';

/** The MCP server. */
@Module({
  imports: [ApprovalsModule],
  controllers: [McpController, ProtectedResourceController],
  providers: [
    McpEndpoint,
    DirectAnswers,
    ToolCalling,
    McpRoutes,
    McpServers,
    McpSessions,
    ToolListing,
    ToolListChanges,
    CallableTools,
    ToolCallsService,
  ],
})
export class McpModule {
  static of({ settings, extensions }: McpParts, logger: Logger): DynamicModule {
    const tasks = [McpAdditions, TaskMethods, TasksService];
    const approvals = [ApproverAnswers, ApproverTools, ListApprovalsTool, ReadApprovalTool, DecideApprovalTool];
    const own = [OwnTools, GetCallTool, SearchToolsTool, CallToolTool];
    const given = [
      { provide: MCP_SETTINGS, useValue: settings },
      { provide: MCP_LOGGER, useValue: logger },
      { provide: McpExtensions, useValue: extensions },
    ];
    return { module: McpModule, providers: [...given, ...own, ...tasks, ...approvals] };
  }
}
