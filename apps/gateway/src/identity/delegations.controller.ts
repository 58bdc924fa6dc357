import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Change, Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { type DelegationRequest, delegation, delegationPage, delegationRequest } from './delegations.schemas.js';
import { DelegationsService } from './delegations.service.js';

/** `/v1/delegations`: delegations from users to agents. */
@ApiTags('identity')
@Controller('v1/delegations')
export class DelegationsController {
  constructor(private readonly delegations: DelegationsService) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'List delegations' })
  @Answer(delegationPage)
  list(@CurrentCaller() caller: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.delegations.list(caller, query);
  }

  @Post()
  @Roles()
  @Change()
  @ApiOperation({ summary: 'Delegate authority to an agent' })
  @Answer(delegation, { status: 201 })
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: delegationRequest }) body: DelegationRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.delegations.create(caller, body, { headers }));
  }

  @Delete(':delegation_id')
  @Roles()
  @Edit()
  @ApiOperation({ summary: 'End a delegation' })
  @NoAnswer()
  revoke(@CurrentCaller() caller: Caller, @Param('delegation_id') delegation_id: string, @Headers() headers: IncomingHttpHeaders) {
    return this.delegations.revoke(caller, delegation_id, { headers });
  }
}
