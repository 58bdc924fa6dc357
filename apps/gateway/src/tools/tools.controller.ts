import { type Caller, Refusal, type Seen } from '@countersign/calls';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { toolVersionRecord } from './tool-record.schema.js';
import {
  foundTools,
  type ToolSearchQuery,
  type ToolsQuery,
  toolAnswer,
  toolPage,
  toolSearchQuery,
  toolsQuery,
  toolVersionPage,
} from './tools.schemas.js';
import { ToolsService } from './tools.service.js';

/** `/v1/tools`: the registry of one tenant. */
@ApiTags('tools')
@Controller()
export class ToolsController {
  constructor(private readonly tools: ToolsService) {}

  @Get('v1/tools')
  @Roles()
  @ApiOperation({ summary: 'List tools' })
  @Answer(toolPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: toolsQuery }) query: ToolsQuery, @SeenPositions() seen: Seen) {
    return this.tools.list(tenant_id, query, seen);
  }

  // In Fastify's routes a double colon is a literal colon.
  @Get('v1/tools::search')
  @Roles()
  @ApiOperation({ summary: 'Search tools by capability' })
  @Answer(foundTools)
  search(@CurrentCaller() caller: Caller, @Query({ schema: toolSearchQuery }) query: ToolSearchQuery, @SeenPositions() seen: Seen) {
    return this.tools.search(caller, query, seen);
  }

  @Get('v1/tools/:name')
  @Roles()
  @ApiOperation({ summary: 'Read a tool' })
  @Answer(toolAnswer)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('name') name: string, @SeenPositions() seen: Seen) {
    return this.tools.read(tenant_id, name, seen);
  }

  @Get('v1/tools/:name/versions')
  @Roles()
  @ApiOperation({ summary: 'List the versions of a tool' })
  @Answer(toolVersionPage)
  versions(
    @CurrentCaller() { tenant_id }: Caller,
    @Param('name') name: string,
    // Returns all of them on one page.
    @Query({ schema: pageQuery }) _query: PageQuery,
    @SeenPositions() seen: Seen,
  ) {
    return this.tools.versions(tenant_id, name, seen);
  }

  @Get('v1/tools/:name/versions/:version')
  @Roles()
  @ApiOperation({ summary: 'Read the record of a version' })
  @Answer(toolVersionRecord)
  async version(
    @CurrentCaller() { tenant_id }: Caller,
    @Param('name') name: string,
    @Param('version') version: string,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const found = await this.tools.version(tenant_id, name, version, seen);
    if (found instanceof Refusal) return found;
    reply.header('etag', found.etag);
    return found.record;
  }
}
