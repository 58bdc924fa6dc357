import type { Caller, Seen } from '@countersign/calls';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { type UsageRequest, usageAnswer, usageQuery } from './usage.schemas.js';
import { UsageService } from './usage.service.js';

/** `GET /v1/usage`: number, outcome, latency and cost of calls. */
@ApiTags('usage')
@Controller('v1/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @Roles('operator', 'auditor', 'agent')
  @ApiOperation({ summary: 'Read the usage report: calls, outcomes and cost' })
  @Answer(usageAnswer)
  read(@CurrentCaller() caller: Caller, @Query({ schema: usageQuery }) query: UsageRequest, @SeenPositions() seen: Seen) {
    return this.usage.read(caller, query, seen);
  }
}
