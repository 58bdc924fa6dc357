import type { Caller, Seen } from '@countersign/calls';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { type SimulateRequest, simulateRequest, simulationAnswer } from './simulations.schemas.js';
import { SimulationsService } from './simulations.service.js';

/** `POST /v1/policies:simulate`: evaluates a draft on recorded calls. */
@ApiTags('policies')
@Controller('v1')
export class SimulationsController {
  constructor(private readonly simulations: SimulationsService) {}

  // In Fastify's routes a double colon is a literal colon.
  @Post('policies::simulate')
  @Roles('auditor', 'policy_admin')
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Simulate a policy on recorded calls' })
  @Answer(simulationAnswer)
  simulate(@CurrentCaller() { tenant_id }: Caller, @Body({ schema: simulateRequest }) body: SimulateRequest, @SeenPositions() seen: Seen) {
    return this.simulations.simulate(tenant_id, body, seen);
  }
}
