import { type Caller, Calls, type Intervention, Refusal, type Seen } from '@countersign/calls';
import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { AlsoAnswers, Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { JsonText } from '../http/json-text.js';
import type { HttpReply } from '../http/reply.js';
import { positionText } from '../positions/positions.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { type CancelRequest, cancelRequest, type ResolveRequest, resolveRequest } from './calls.schemas.js';
import { callEnvelope } from './envelope.schema.js';
import { locationOf } from './post-reply.js';

const LATER = 'the command is recorded; its outcome is still pending';

/** `/v1/calls/{call_id}/cancel` and `/resolve`. */
@ApiTags('calls')
@Controller('v1/calls/:call_id')
export class CallCommandsController {
  constructor(private readonly calls: Calls) {}

  @Post('cancel')
  @Roles('agent', 'operator')
  @ApiOperation({ summary: 'Cancel a call' })
  @Answer(callEnvelope)
  @AlsoAnswers(202, callEnvelope, LATER)
  async cancel(
    @CurrentCaller() caller: Caller,
    @Param('call_id') call_id: string,
    @Body({ schema: cancelRequest }) { reason, only_before_fire }: CancelRequest,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return answer(await this.calls.cancel({ caller, call_id, seen }, reason, only_before_fire), reply);
  }

  @Post('resolve')
  @Roles('operator')
  @ApiOperation({ summary: 'Resolve a call in doubt' })
  @Answer(callEnvelope)
  @AlsoAnswers(202, callEnvelope, LATER)
  async resolve(
    @CurrentCaller() caller: Caller,
    @Param('call_id') call_id: string,
    @Body({ schema: resolveRequest }) body: ResolveRequest,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return answer(await this.calls.resolve({ caller, call_id, seen }, body), reply);
  }
}

/** 200 with the ended call, or 202 with its current state if that takes longer. */
function answer(made: Intervention | Refusal, reply: HttpReply): JsonText | Refusal {
  if (made instanceof Refusal) return made;
  const { reached, at, state, envelope, was_sealed } = made;
  if (!reached) reply.code(202).header('location', locationOf(state.call_id));
  else if (at) reply.header('countersign-position', positionText(at));
  if (was_sealed) reply.header('cache-control', 'no-store');
  return new JsonText({ text: envelope });
}
