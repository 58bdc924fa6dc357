import { type Caller, Refusal, type Seen } from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { AlsoAnswers, Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { type HttpReply, type HttpRequest, headerOf } from '../http/reply.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { waitOf } from '../requests/preferences.js';
import {
  type UndoAnswer,
  type UndoRequest,
  type UndoSelection,
  undoAnswer,
  undoPreview,
  undoRequest,
  undoSelection,
  undoSelectionAnswer,
} from './undo.schemas.js';
import { UndoService } from './undo.service.js';
import type { UndoCommand } from './undo-runs.service.js';
import { UndoSelections } from './undo-selections.service.js';

const WAIT = '`wait=N`: seconds to wait for all undos together';
const LATER = 'some calls are not undone: `items` lists them with the reason';

/** `/undo` of a call, a case, or a selection of calls. */
@ApiTags('calls')
@Controller()
export class UndoController {
  constructor(
    private readonly undos: UndoService,
    private readonly selections: UndoSelections,
  ) {}

  @Get('v1/calls/:call_id/undo')
  @Roles('operator')
  @ApiOperation({ summary: 'Preview the undo of a call' })
  @Answer(undoPreview)
  async previewCall(@CurrentCaller() caller: Caller, @Param('call_id') call_id: string, @SeenPositions() seen: Seen) {
    const states = await this.undos.named(caller, [call_id], seen);
    return states instanceof Refusal ? states : this.undos.preview(caller, states);
  }

  @Post('v1/calls/:call_id/undo')
  @Roles('operator')
  @ApiOperation({ summary: 'Undo a call' })
  @ApiHeader({ name: 'Prefer', description: WAIT, required: false })
  @Answer(undoAnswer)
  @AlsoAnswers(202, undoAnswer, LATER)
  async undoCall(
    @CurrentCaller() caller: Caller,
    @Param('call_id') call_id: string,
    @Body({ schema: undoRequest }) body: UndoRequest,
    @SeenPositions() seen: Seen,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const states = await this.undos.named(caller, [call_id], seen);
    if (states instanceof Refusal) return states;
    return answer(await this.undos.undoCall(commandOf(caller, body, request), states[0] as CallState), reply);
  }

  @Get('v1/cases/:case_id/undo')
  @Roles('operator')
  @ApiOperation({ summary: 'Preview the undo of a case' })
  @Answer(undoPreview)
  async previewCase(@CurrentCaller() caller: Caller, @Param('case_id') case_id: string, @SeenPositions() seen: Seen) {
    const states = await this.undos.ofCase(caller, case_id, seen);
    return states instanceof Refusal ? states : this.undos.preview(caller, states);
  }

  @Post('v1/cases/:case_id/undo')
  @Roles('operator')
  @ApiOperation({ summary: 'Undo the calls of a case' })
  @ApiHeader({ name: 'Prefer', description: WAIT, required: false })
  @Answer(undoAnswer)
  @AlsoAnswers(202, undoAnswer, LATER)
  async undoCase(
    @CurrentCaller() caller: Caller,
    @Param('case_id') case_id: string,
    @Body({ schema: undoRequest }) body: UndoRequest,
    @SeenPositions() seen: Seen,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const states = await this.undos.ofCase(caller, case_id, seen);
    if (states instanceof Refusal) return states;
    return answer(await this.selections.undo(commandOf(caller, body, request), states), reply);
  }
}

/** `POST /v1/calls:undo`: undoes a selection of calls, or previews it. */
@ApiTags('calls')
@Controller()
export class UndoSelectionController {
  constructor(
    private readonly undos: UndoService,
    private readonly selections: UndoSelections,
  ) {}

  // In Fastify's routes a double colon is a literal colon.
  @Post('v1/calls::undo')
  @Roles('operator')
  @ApiOperation({ summary: 'Undo selected calls, or preview their undo' })
  @ApiHeader({ name: 'Prefer', description: WAIT, required: false })
  @Answer(undoSelectionAnswer)
  @AlsoAnswers(202, undoAnswer, LATER)
  async undo(
    @CurrentCaller() caller: Caller,
    @Body({ schema: undoSelection }) { call_ids, preview, preview_digest, reason }: UndoSelection,
    @SeenPositions() seen: Seen,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const states = await this.undos.named(caller, call_ids, seen);
    if (states instanceof Refusal) return states;
    if (preview || preview_digest === undefined) return this.undos.preview(caller, states);
    return answer(await this.selections.undo(commandOf(caller, { preview_digest, reason }, request), states), reply);
  }
}

function commandOf(caller: Caller, { preview_digest, reason }: UndoRequest, request: HttpRequest): UndoCommand {
  return { caller, preview_digest, reason, wait_ms: waitOf(headerOf(request, 'prefer')), traceparent: headerOf(request, 'traceparent') };
}

function answer(made: UndoAnswer | Refusal, reply: HttpReply) {
  if (made instanceof Refusal) return made;
  if (made.saga_id !== null) reply.headers({ location: `/v1/sagas/${made.saga_id}` });
  if (made.items.some(({ undone }) => !undone)) reply.code(202);
  return made;
}
