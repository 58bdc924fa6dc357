import { type Caller, Refusal, type Seen } from '@countersign/calls';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import { JsonText } from '../http/json-text.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { caseCounterfactual, rangeCounterfactual } from './counterfactual.schemas.js';
import { CounterfactualService } from './counterfactual.service.js';
import { type CounterfactualRequest, counterfactualRequest, type RangeRequest, rangeRequest } from './counterfactual-request.schema.js';

/** Roles that may request counterfactuals. */
const ASKERS = ['operator', 'auditor', 'policy_admin'] as const;

/** Decides recorded calls again with something changed (counterfactuals). */
@ApiTags('cases')
@Controller('v1')
export class CounterfactualController {
  constructor(private readonly counterfactuals: CounterfactualService) {}

  @Post('cases/:case_id/counterfactual')
  @Roles(...ASKERS)
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Decide the calls of a case again under other conditions' })
  @Answer(caseCounterfactual)
  async ofCase(
    @CurrentCaller() caller: Caller,
    @Param('case_id') case_id: string,
    @Body({ schema: counterfactualRequest }) body: CounterfactualRequest,
    @SeenPositions() seen: Seen,
  ) {
    return inPieces(await this.counterfactuals.ofCase(caller, case_id, body, seen));
  }

  @Post('counterfactual')
  @Roles(...ASKERS)
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Decide the calls of a time range again under other conditions, page by page' })
  @Answer(rangeCounterfactual)
  async ofRange(@CurrentCaller() caller: Caller, @Body({ schema: rangeRequest }) body: RangeRequest, @SeenPositions() seen: Seen) {
    return inPieces(await this.counterfactuals.ofRange(caller, body, seen));
  }
}

const inPieces = (pieces: string[] | Refusal): JsonText | Refusal => (pieces instanceof Refusal ? pieces : new JsonText({ pieces }));
