import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import { Controller, Delete, Get, Headers, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { GrantsService } from './grants.service.js';
import { grantPage } from './right-answers.schemas.js';

/** `/v1/grants`: approvals that also cover similar calls. */
@ApiTags('approvals')
@Roles()
@Controller('v1/grants')
export class GrantsController {
  constructor(private readonly grants: GrantsService) {}

  @Get()
  @ApiOperation({ summary: 'List grants: approvals for similar calls' })
  @Answer(grantPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.grants.list(tenant_id, query);
  }

  @Delete(':grant_id')
  @Edit()
  @ApiOperation({ summary: 'Revoke a grant' })
  @NoAnswer()
  async revoke(@CurrentCaller() caller: Caller, @Param('grant_id') grant_id: string, @Headers() headers: IncomingHttpHeaders) {
    const revoked = await this.grants.revoke(caller, grant_id, { headers });
    return revoked instanceof Refusal ? revoked : undefined;
  }
}
