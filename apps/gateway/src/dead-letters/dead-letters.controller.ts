import { type Caller, Refusal } from '@countersign/calls';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { positionText } from '../positions/positions.js';
import { deadLetterPage, type RequeueRequest, requeuedLetter, requeueRequest } from './dead-letters.schemas.js';
import { DeadLettersService } from './dead-letters.service.js';

/** `/v1/dead-letters`: records that a service could not handle. */
@ApiTags('operations')
@Roles('operator')
@Controller('v1/dead-letters')
export class DeadLettersController {
  constructor(private readonly letters: DeadLettersService) {}

  @Get()
  @ApiOperation({ summary: 'List the newest 200 dead-lettered records of the tenant, newest first' })
  @Answer(deadLetterPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.letters.list(tenant_id, query);
  }

  @Post(':letter_id/requeue')
  @ApiOperation({ summary: 'Hand a dead-lettered record to its consumer again, once. The decision is recorded' })
  @Answer(requeuedLetter)
  async requeue(
    @CurrentCaller() caller: Caller,
    @Param('letter_id') letter_id: string,
    @Body({ schema: requeueRequest }) body: RequeueRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const result = await this.letters.requeue(caller, letter_id, body);
    if (result instanceof Refusal) return result;
    reply.header('countersign-position', positionText(result.at));
    return result.requeued;
  }
}
