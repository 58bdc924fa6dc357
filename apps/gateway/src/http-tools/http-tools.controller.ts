import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import { Body, Controller, Headers, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type HttpToolRequest, httpToolRequest, registeredHttpTool } from './http-tools.schemas.js';
import { HttpToolsService } from './http-tools.service.js';

/** `POST /v1/tools`: tools in any language, at an HTTPS endpoint of the tenant. */
@ApiTags('tools')
@Controller('v1/tools')
export class HttpToolsController {
  constructor(private readonly tools: HttpToolsService) {}

  @Post()
  @Roles('tool_author')
  @Edit()
  @ApiOperation({ summary: 'Register a tool at an HTTPS endpoint' })
  @Answer(registeredHttpTool, { status: 201 })
  async register(
    @CurrentCaller() caller: Caller,
    @Body({ schema: httpToolRequest }) body: HttpToolRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const registered = await this.tools.register(caller, body, { headers });
    if (registered instanceof Refusal) return registered;
    const { name, version } = registered.body;
    reply.headers({ 'cache-control': 'no-store', location: `/v1/tools/${name}/versions/${version}`, etag: registered.etag });
    return registered.body;
  }
}
