import type { Caller } from '@countersign/calls';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AsRecorded } from '../http/sealed-fields.interceptor.js';
import { leavesAnswer } from './audit-answers.schemas.js';
import { AuditLeavesService } from './audit-leaves.service.js';
import { type LeavesQuery, leavesQuery } from './audit-queries.schemas.js';

/** `/v1/audit/leaves`: input for `countersign monitor`. */
@ApiTags('audit')
@Roles('auditor')
@Controller('v1/audit')
export class AuditLeavesController {
  constructor(private readonly leaves: AuditLeavesService) {}

  @Get('leaves')
  @AsRecorded()
  @ApiOperation({ summary: 'Read the leaves of a partition in order, with the records of your tenant' })
  @Answer(leavesAnswer)
  page(@CurrentCaller() caller: Caller, @Query({ schema: leavesQuery }) query: LeavesQuery) {
    return this.leaves.page(caller, query);
  }
}
