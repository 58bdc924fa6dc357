import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { ChangeOfRead, Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { ClassificationsService } from './classifications.service.js';
import {
  type ClassificationRequest,
  classificationAnswer,
  classificationRequest,
  setUpstream,
  type UpstreamRequest,
  type UpstreamToolQuery,
  upstreamAnswer,
  upstreamPage,
  upstreamRequest,
  upstreamRevisionPage,
  upstreamToolPage,
  upstreamToolQuery,
} from './upstreams.schemas.js';
import { UpstreamsService } from './upstreams.service.js';

/** `/v1/upstreams`: MCP servers whose tools become tools of the tenant. What they say before it is pinned is no reading for agents. */
@ApiTags('upstreams')
@Roles('operator', 'tool_author', 'policy_admin', 'auditor')
@Controller('v1/upstreams')
export class UpstreamsController {
  constructor(
    private readonly upstreams: UpstreamsService,
    private readonly classifications: ClassificationsService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List upstreams' })
  @Answer(upstreamPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.upstreams.list(tenant_id, query);
  }

  @Get(':name')
  @ApiOperation({ summary: 'Read an upstream: its settings, its health and its tools' })
  @Answer(upstreamAnswer)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('name') name: string, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, this.upstreams.read(tenant_id, name));
  }

  @Get(':name/tools')
  @ApiOperation({ summary: 'List the tools of an upstream with their definitions, pinned and listed' })
  @Answer(upstreamToolPage)
  tools(
    @CurrentCaller() { tenant_id }: Caller,
    @Param('name') name: string,
    @Query({ schema: upstreamToolQuery }) query: UpstreamToolQuery,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, this.upstreams.tools(tenant_id, name, query));
  }

  @Get(':name/revisions')
  @ApiOperation({ summary: 'List the revisions of an upstream, newest first' })
  @Answer(upstreamRevisionPage)
  revisions(@CurrentCaller() { tenant_id }: Caller, @Param('name') name: string) {
    return this.upstreams.revisions(tenant_id, name);
  }

  @Put(':name')
  @Roles('tool_author')
  @Edit()
  @ApiOperation({ summary: 'Set an upstream: an address, or a command of the installation' })
  @Answer(setUpstream)
  async set(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Body({ schema: upstreamRequest }) body: UpstreamRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.upstreams.set(caller, name, body, { headers }));
  }

  @Delete(':name')
  @Roles('tool_author')
  @Edit()
  @ApiOperation({ summary: 'Remove an upstream: its tools no longer run' })
  @NoAnswer()
  remove(@CurrentCaller() caller: Caller, @Param('name') name: string, @Headers() headers: IncomingHttpHeaders) {
    return this.upstreams.remove(caller, name, { headers });
  }

  @Post(':name/classifications')
  @Roles('operator')
  @ChangeOfRead()
  @ApiOperation({ summary: 'Classify tools of an upstream, and pin what it says of them' })
  @Answer(classificationAnswer)
  classify(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Body({ schema: classificationRequest }) body: ClassificationRequest,
    @Headers() headers: IncomingHttpHeaders,
  ) {
    return this.classifications.classify(caller, name, body, { headers });
  }
}
