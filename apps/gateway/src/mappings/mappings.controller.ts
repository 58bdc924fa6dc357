import type { IncomingHttpHeaders } from 'node:http';
import type { Caller, Seen } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import {
  activationRequest,
  type MappingRequest,
  mappingDefinition,
  rollbackRequest,
  type TryRequest,
  tryRequest,
  type VersionRequest,
} from './mapping-request.js';
import { MappingTrialsService } from './mapping-trials.service.js';
import { currentMapping, mappingPage, mappingTrials, mappingVersion, mappingVersionPage, publishedMapping } from './mappings.schemas.js';
import { MappingsService } from './mappings.service.js';

/** `/v1/mappings`: maps the inputs and results of tools to and from the formats of the tenant's systems. */
@ApiTags('mappings')
@Controller('v1')
export class MappingsController {
  constructor(
    private readonly mappings: MappingsService,
    private readonly trials: MappingTrialsService,
  ) {}

  @Get('mappings')
  @Roles()
  @ApiOperation({ summary: 'List mappings' })
  @Answer(mappingPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.mappings.list(tenant_id, query);
  }

  @Get('mappings/:tool')
  @Roles()
  @ApiOperation({ summary: 'Read the mapping of a tool' })
  @Answer(currentMapping)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('tool') tool: string, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, this.mappings.read(tenant_id, tool));
  }

  @Get('mappings/:tool/versions')
  @Roles()
  @ApiOperation({ summary: 'List the versions of a mapping, newest first' })
  @Answer(mappingVersionPage)
  versions(@CurrentCaller() { tenant_id }: Caller, @Param('tool') tool: string) {
    return this.mappings.versions(tenant_id, tool);
  }

  @Put('mappings/:tool')
  @Roles('policy_admin', 'tool_author')
  @Edit()
  @ApiOperation({ summary: 'Publish the next version of a mapping' })
  @Answer(publishedMapping)
  async publish(
    @CurrentCaller() caller: Caller,
    @Param('tool') tool: string,
    @Body({ schema: mappingDefinition }) body: MappingRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.mappings.publish(caller, tool, body, { headers }));
  }

  @Delete('mappings/:tool')
  @Roles('policy_admin', 'tool_author')
  @Edit()
  @ApiOperation({ summary: 'Remove the mapping of a tool' })
  @NoAnswer()
  remove(@CurrentCaller() caller: Caller, @Param('tool') tool: string, @Headers() headers: IncomingHttpHeaders) {
    return this.mappings.remove(caller, tool, { headers });
  }

  @Post('mappings/:tool/rollback')
  @Roles('policy_admin', 'tool_author')
  @Edit()
  @ApiOperation({ summary: 'Publish an earlier version of a mapping again' })
  @Answer(publishedMapping)
  async rollBack(
    @CurrentCaller() caller: Caller,
    @Param('tool') tool: string,
    @Body({ schema: rollbackRequest }) { version }: VersionRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.mappings.rollBack(caller, tool, version, { headers }));
  }

  @Post('mappings/:tool/activate')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Activate a version that waits for a second person' })
  @Answer(mappingVersion)
  async activate(
    @CurrentCaller() caller: Caller,
    @Param('tool') tool: string,
    @Body({ schema: activationRequest }) { version }: VersionRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.mappings.activate(caller, tool, version, { headers }));
  }

  // In Fastify's routes a double colon is a literal colon.
  @Post('mappings::try')
  @Roles('policy_admin', 'tool_author', 'operator')
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Try a mapping on recorded calls' })
  @Answer(mappingTrials)
  try(@CurrentCaller() { tenant_id }: Caller, @Body({ schema: tryRequest }) body: TryRequest, @SeenPositions() seen: Seen) {
    return this.trials.try(tenant_id, body, seen);
  }
}
