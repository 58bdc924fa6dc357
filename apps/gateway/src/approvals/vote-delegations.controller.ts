import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Change, Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { type VoteDelegationRequest, voteDelegationRequest } from './approval-requests.schemas.js';
import { voteDelegation, voteDelegationPage } from './right-answers.schemas.js';
import { VoteDelegationsService } from './vote-delegations.service.js';

/** `/v1/vote-delegations`: delegations of votes. */
@ApiTags('approvals')
@Roles()
@Controller('v1/vote-delegations')
export class VoteDelegationsController {
  constructor(private readonly delegations: VoteDelegationsService) {}

  @Get()
  @ApiOperation({ summary: 'List vote delegations' })
  @Answer(voteDelegationPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.delegations.list(tenant_id, query);
  }

  @Post()
  @Change()
  @ApiOperation({ summary: 'Delegate your votes' })
  @Answer(voteDelegation, { status: 201 })
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: voteDelegationRequest }) body: VoteDelegationRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const made = await this.delegations.create(caller, body, { headers });
    if (made instanceof Refusal) return made;
    reply.headers({ location: `/v1/vote-delegations/${made.delegation.delegation_id}`, etag: made.etag });
    return made.delegation;
  }

  @Delete(':delegation_id')
  @Edit()
  @ApiOperation({ summary: 'End a delegation of votes' })
  @NoAnswer()
  async end(@CurrentCaller() caller: Caller, @Param('delegation_id') delegation_id: string, @Headers() headers: IncomingHttpHeaders) {
    const ended = await this.delegations.end(caller, delegation_id, { headers });
    return ended instanceof Refusal ? ended : undefined;
  }
}
