import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { type LimitRequest, limitRequest } from './limit-request.js';
import { changedLimit, limitAnswer, limitPage, limitUsagePage, limitVersionPage, newLimitId } from './limits.schemas.js';
import { LimitsService } from './limits.service.js';

/** `/v1/limits`: the guard limits of a tenant, their versions and counters. */
@ApiTags('limits')
@Controller('v1/limits')
export class LimitsController {
  constructor(private readonly limits: LimitsService) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'List guard limits' })
  @Answer(limitPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.limits.list(tenant_id, query);
  }

  @Get(':limit_id')
  @Roles()
  @ApiOperation({ summary: 'Read a limit' })
  @Answer(limitAnswer)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('limit_id') limit_id: string, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, this.limits.read(tenant_id, limit_id));
  }

  @Put(':limit_id')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Set a limit' })
  @Answer(changedLimit)
  async set(
    @CurrentCaller() caller: Caller,
    @Param('limit_id', { schema: newLimitId }) limit_id: string,
    @Body({ schema: limitRequest }) body: LimitRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.limits.set(caller, limit_id, body, { headers }));
  }

  @Delete(':limit_id')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Remove a limit' })
  @NoAnswer()
  async remove(@CurrentCaller() caller: Caller, @Param('limit_id') limit_id: string, @Headers() headers: IncomingHttpHeaders) {
    const removed = await this.limits.remove(caller, limit_id, { headers });
    return removed instanceof Refusal ? removed : undefined;
  }

  @Get(':limit_id/versions')
  @Roles()
  @ApiOperation({ summary: 'List the versions of a limit, newest first' })
  @Answer(limitVersionPage)
  versions(@CurrentCaller() { tenant_id }: Caller, @Param('limit_id') limit_id: string) {
    return this.limits.versions(tenant_id, limit_id);
  }

  @Get(':limit_id/usage')
  @Roles()
  @ApiOperation({ summary: 'Read what a limit has counted' })
  @Answer(limitUsagePage)
  usage(@CurrentCaller() { tenant_id }: Caller, @Param('limit_id') limit_id: string, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.limits.usage(tenant_id, limit_id, query);
  }
}
