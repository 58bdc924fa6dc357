import type { Caller } from '@countersign/calls';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import { type CheckRequest, checkAnswer, checkRequest } from './draft-checks.schemas.js';
import { DraftChecksService } from './draft-checks.service.js';

/** `POST /v1/policies:check`: what publishing would say to a draft. */
@ApiTags('policies')
@Controller('v1')
export class DraftChecksController {
  constructor(private readonly checks: DraftChecksService) {}

  // In Fastify's routes a double colon is a literal colon.
  @Post('policies::check')
  @Roles('auditor', 'policy_admin')
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Check a policy without publishing it' })
  @Answer(checkAnswer)
  check(@CurrentCaller() { tenant_id }: Caller, @Body({ schema: checkRequest }) body: CheckRequest) {
    return this.checks.check(tenant_id, body);
  }
}
