import type { Caller } from '@countersign/calls';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { deadLetterPage } from './dead-letters.schemas.js';
import { DeadLettersService } from './dead-letters.service.js';

/** `GET /v1/dead-letters`: records that a service could not handle. */
@ApiTags('operations')
@Controller('v1/dead-letters')
export class DeadLettersController {
  constructor(private readonly letters: DeadLettersService) {}

  @Get()
  @Roles('operator')
  @ApiOperation({ summary: 'List the newest 200 dead-lettered records of the tenant, newest first' })
  @Answer(deadLetterPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.letters.list(tenant_id, query);
  }
}
