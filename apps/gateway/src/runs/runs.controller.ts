import { type Caller, Refusal, type Seen } from '@countersign/calls';
import { Body, Controller, Get, Param, Put, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { JsonText } from '../http/json-text.js';
import type { HttpReply } from '../http/reply.js';
import { positionText } from '../positions/positions.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { keptTranscript, replayBundle, runId } from './runs.schemas.js';
import { RunsService } from './runs.service.js';
import { type TranscriptRequest, transcriptRequest } from './transcript-request.js';

/** `/v1/runs`: transcripts and replay bundles. */
@ApiTags('runs')
@Controller('v1/runs/:run_id')
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  @Put('transcript')
  @Roles('agent', 'operator')
  @ApiOperation({ summary: 'Store the transcript of a run' })
  @Answer(keptTranscript)
  async keep(
    @CurrentCaller() caller: Caller,
    @Param('run_id', { schema: runId }) run_id: string,
    @Body({ schema: transcriptRequest }) body: TranscriptRequest,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const kept = await this.runs.keep(caller, run_id, body, seen);
    if (kept instanceof Refusal) return kept;
    reply.header('countersign-position', positionText(kept.at));
    return kept.transcript;
  }

  @Get('replay-bundle')
  @Roles('operator', 'auditor', 'policy_admin')
  @ApiOperation({ summary: 'Read the replay bundle of a run' })
  @Answer(replayBundle)
  async bundle(@CurrentCaller() { tenant_id }: Caller, @Param('run_id') run_id: string, @SeenPositions() seen: Seen) {
    const pieces = await this.runs.bundle(tenant_id, run_id, seen);
    return pieces instanceof Refusal ? pieces : new JsonText({ pieces });
  }
}
