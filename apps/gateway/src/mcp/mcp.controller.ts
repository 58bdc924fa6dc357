import type { Caller } from '@countersign/calls';
import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { McpEndpoint } from './mcp-endpoint.service.js';

/** `/mcp`: the Model Context Protocol. Its messages are described by the specification of MCP, not by /openapi.json. */
@ApiExcludeController()
@Controller('mcp')
export class McpController {
  constructor(private readonly endpoint: McpEndpoint) {}

  @Post()
  @Roles()
  post(@CurrentCaller() caller: Caller, @Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.endpoint.serve(request, reply, caller);
  }

  @Get()
  @Roles()
  stream(@CurrentCaller() caller: Caller, @Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.endpoint.serve(request, reply, caller);
  }

  @Delete()
  @Roles()
  end(@CurrentCaller() caller: Caller, @Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.endpoint.serve(request, reply, caller);
  }
}
