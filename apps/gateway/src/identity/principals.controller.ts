import type { Caller } from '@countersign/calls';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { type PrincipalsQuery, principalPage, principalRecord, principalsQuery } from './principals.schemas.js';
import { PrincipalsService } from './principals.service.js';

/** `/v1/principals`: the principals of a tenant. */
@ApiTags('identity')
@Roles('auditor')
@Controller('v1/principals')
export class PrincipalsController {
  constructor(private readonly principals: PrincipalsService) {}

  @Get()
  @ApiOperation({
    summary: 'List principals',
    description:
      'Principals that have or had an API key, and people of identity providers whose tokens were recorded. Tokens of agents and services are not recorded.',
  })
  @Answer(principalPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: principalsQuery }) query: PrincipalsQuery) {
    return this.principals.list(tenant_id, query);
  }

  @Get(':principal_id')
  @ApiOperation({ summary: 'Read a principal, its identities and its keys, without the keys themselves' })
  @Answer(principalRecord)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('principal_id') principal_id: string) {
    return this.principals.read(tenant_id, principal_id);
  }
}
