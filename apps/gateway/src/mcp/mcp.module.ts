import { Module } from '@nestjs/common';
import { CallableTools } from './callable-tools.service.js';
import { GetCallTool } from './get-call.service.js';
import { McpController } from './mcp.controller.js';
import { McpEndpoint } from './mcp-endpoint.service.js';
import { McpServers } from './mcp-servers.service.js';
import { McpSessions } from './mcp-sessions.service.js';
import { McpSettings } from './mcp-settings.js';
import { OwnTools } from './own-tools.service.js';
import { ToolCallsService } from './tool-calls.service.js';

/** The MCP server. */
@Module({
  controllers: [McpController],
  providers: [McpEndpoint, McpServers, McpSessions, McpSettings, CallableTools, ToolCallsService, OwnTools, GetCallTool],
})
export class McpModule {}
