import type { Caller } from '@countersign/calls';
import { Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import type { HttpReply } from '../http/reply.js';
import { OfDefaultTenant } from '../installation/default-tenant.guard.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { projection, projectionDigest, projectionPage, requestedRebuild } from './projections.schemas.js';
import { ProjectionsService } from './projections.service.js';

/** `/v1/projections`: the projections of the log. */
@ApiTags('projections')
@Controller('v1/projections')
@OfDefaultTenant('projections')
export class ProjectionsController {
  constructor(private readonly projections: ProjectionsService) {}

  @Get()
  @Roles('operator')
  @ApiOperation({ summary: 'List projections' })
  @Answer(projectionPage)
  list(@Query({ schema: pageQuery }) query: PageQuery) {
    return this.projections.list(query);
  }

  @Get(':name')
  @Roles('operator')
  @ApiOperation({ summary: 'Read the state of a projection' })
  @Answer(projection)
  read(@Param('name') name: string) {
    return this.projections.read(name);
  }

  @Get(':name/digest')
  @Roles('operator')
  @ApiOperation({ summary: 'Read the digest of each table of a projection' })
  @Answer(projectionDigest)
  digest(@Param('name') name: string) {
    return this.projections.digest(name);
  }

  @Post(':name/rebuild')
  @Roles('operator')
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Rebuild a projection while the current rows stay readable' })
  @Answer(requestedRebuild, { status: 202 })
  async rebuild(@CurrentCaller() caller: Caller, @Param('name') name: string, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, await this.projections.rebuild(caller, name));
  }
}
