import type { Caller } from '@countersign/calls';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import {
  authzenConfiguration,
  type EvaluationRequest,
  evaluationAnswer,
  evaluationRequest,
  resolveTierRequest,
  type TierRequest,
  tierAnswer,
} from './access.schemas.js';
import { AccessService } from './access.service.js';
import { Origin } from './origin.decorator.js';

/** Evaluates policy without a call: in AuthZEN 1.0 form, and as the effective tier of a tool. */
@ApiTags('policies')
@Controller()
export class AccessController {
  constructor(private readonly access: AccessService) {}

  @Get('.well-known/authzen-configuration')
  @Roles()
  @ApiOperation({ summary: 'Read the AuthZEN endpoints' })
  @Answer(authzenConfiguration)
  configuration(@Origin() origin: string) {
    return { policy_decision_point: origin, access_evaluation_endpoint: `${origin}/access/v1/evaluation` };
  }

  @Post('access/v1/evaluation')
  @Roles()
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Evaluate a call without making it (AuthZEN 1.0)' })
  @Answer(evaluationAnswer)
  evaluate(@CurrentCaller() caller: Caller, @Body({ schema: evaluationRequest }) body: EvaluationRequest) {
    return this.access.evaluate(caller, body);
  }

  @Post('v1/policies/tools/:tool/resolve')
  @Roles()
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Read the effective tier of a tool for inputs' })
  @Answer(tierAnswer)
  resolve(@CurrentCaller() caller: Caller, @Param('tool') tool: string, @Body({ schema: resolveTierRequest }) body: TierRequest) {
    return this.access.tier(caller, tool, body);
  }
}
