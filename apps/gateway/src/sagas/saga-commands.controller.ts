import type { Caller, Seen } from '@countersign/calls';
import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { SagaCommands } from './saga-commands.service.js';
import {
  type SagaControl,
  type SagaDecision,
  sagaControl,
  sagaDecision,
  type WaitAnswer,
  waitAnswer,
  waitStepId,
} from './saga-request.schemas.js';
import { sagaSummary } from './sagas.schemas.js';

/** What people and systems do with a saga. Each is answered once it is decided on the record. */
@ApiTags('sagas')
@Controller('v1/sagas/:saga_id')
export class SagaCommandsController {
  constructor(private readonly commands: SagaCommands) {}

  @Post('pause')
  @Roles('agent', 'operator')
  @ApiOperation({ summary: 'Pause a saga: it starts nothing more until it is resumed' })
  @Answer(sagaSummary)
  async pause(
    @CurrentCaller() caller: Caller,
    @Param('saga_id') saga_id: string,
    @Body({ schema: sagaControl }) body: SagaControl,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.commands.control({ caller, saga_id, seen }, 'pause', body));
  }

  @Post('resume')
  @Roles('agent', 'operator')
  @ApiOperation({ summary: 'Resume a paused saga' })
  @Answer(sagaSummary)
  async resume(
    @CurrentCaller() caller: Caller,
    @Param('saga_id') saga_id: string,
    @Body({ schema: sagaControl }) body: SagaControl,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.commands.control({ caller, saga_id, seen }, 'resume', body));
  }

  @Post('cancel')
  @Roles('agent', 'operator')
  @ApiOperation({ summary: 'Cancel a saga: its effects after the last irreversible step are undone' })
  @Answer(sagaSummary)
  async cancel(
    @CurrentCaller() caller: Caller,
    @Param('saga_id') saga_id: string,
    @Body({ schema: sagaControl }) body: SagaControl,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.commands.control({ caller, saga_id, seen }, 'cancel', body));
  }

  @Post('retry')
  @Roles('operator')
  @ApiOperation({ summary: 'Retry a failed compensation, or a step that failed after an irreversible one' })
  @Answer(sagaSummary)
  async retry(
    @CurrentCaller() caller: Caller,
    @Param('saga_id') saga_id: string,
    @Body({ schema: sagaControl }) body: SagaControl,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.commands.control({ caller, saga_id, seen }, 'retry', body));
  }

  @Post('accept')
  @Roles('operator')
  @ApiOperation({ summary: 'Accept what a ticket reports' })
  @Answer(sagaSummary)
  async accept(
    @CurrentCaller() caller: Caller,
    @Param('saga_id') saga_id: string,
    @Body({ schema: sagaDecision }) body: SagaDecision,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.commands.control({ caller, saga_id, seen }, 'accept', body));
  }

  @Post('done-by-hand')
  @Roles('operator')
  @ApiOperation({ summary: 'Record that a person did what a ticket asks for' })
  @Answer(sagaSummary)
  async doneByHand(
    @CurrentCaller() caller: Caller,
    @Param('saga_id') saga_id: string,
    @Body({ schema: sagaDecision }) body: SagaDecision,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.commands.control({ caller, saga_id, seen }, 'done_by_hand', body));
  }

  @Post('waits/:step_id')
  @Roles('agent', 'approver', 'operator')
  @ApiOperation({ summary: 'Answer a wait: approve or refuse, report an event, or give the result of a manual step' })
  @Answer(sagaSummary)
  async answer(
    @CurrentCaller() caller: Caller,
    @Param('saga_id') saga_id: string,
    @Param('step_id', { schema: waitStepId }) step_id: string,
    @Body({ schema: waitAnswer }) body: WaitAnswer,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.commands.answerWait({ caller, saga_id, seen }, step_id, body));
  }
}
