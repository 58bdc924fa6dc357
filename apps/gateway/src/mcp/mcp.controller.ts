import { type Caller, Refusal } from '@countersign/calls';
import { Controller, Delete, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { McpEndpoint } from './mcp-endpoint.service.js';
import { OriginGuard } from './origin.guard.js';
import { ScopeGuard } from './scope.guard.js';

/** `/mcp`: the Model Context Protocol. Its messages are described by the specification of MCP, not by /openapi.json. */
@ApiExcludeController()
@UseGuards(OriginGuard)
@Controller('mcp')
export class McpController {
  constructor(private readonly endpoint: McpEndpoint) {}

  @Post()
  @Roles()
  @UseGuards(ScopeGuard)
  post(@CurrentCaller() caller: Caller, @Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.serve(request, reply, caller);
  }

  /** The stream of a session of a 2025 revision. */
  @Get()
  @Roles()
  stream(@CurrentCaller() caller: Caller, @Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.serve(request, reply, caller);
  }

  /** Ends a session of a 2025 revision. */
  @Delete()
  @Roles()
  end(@CurrentCaller() caller: Caller, @Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.serve(request, reply, caller);
  }

  private async serve(request: HttpRequest, reply: HttpReply, caller: Caller): Promise<void> {
    const problem = await this.endpoint.serve(request, reply, caller);
    if (problem instanceof Refusal) throw problem;
  }
}
