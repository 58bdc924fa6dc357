import { type Caller, Refusal, type Seen } from '@countersign/calls';
import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { positionText } from '../positions/positions.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { correctedMode, type ModeRequest, modeRequest } from './approval-modes.schemas.js';
import { ApprovalModesService } from './approval-modes.service.js';

/** `POST /v1/calls/{call_id}/approval-mode`: corrects the approval mode of a call for the statistics. */
@ApiTags('usage')
@Controller('v1/calls')
export class ApprovalModesController {
  constructor(private readonly modes: ApprovalModesService) {}

  @Post(':call_id/approval-mode')
  @Roles('operator')
  @ApiOperation({ summary: 'Correct the approval mode of a call' })
  @Answer(correctedMode)
  async correct(
    @CurrentCaller() caller: Caller,
    @Param('call_id') call_id: string,
    @Body({ schema: modeRequest }) body: ModeRequest,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const result = await this.modes.correct(caller, call_id, body, seen);
    if (result instanceof Refusal) return result;
    reply.header('countersign-position', positionText(result.at));
    return result.corrected;
  }
}
