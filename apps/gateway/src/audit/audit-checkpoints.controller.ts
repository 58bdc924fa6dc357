import { Refusal } from '@countersign/calls';
import { Body, Controller, createParamDecorator, type ExecutionContext, Get, Header, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { Roles } from '../http/access.decorator.js';
import { Answer, AnswersIn, described } from '../http/answer.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { AsRecorded } from '../http/sealed-fields.interceptor.js';
import { consistencyAnswer, cosignatureAnswer, cosignatureRequest, timestampAnswer } from './audit-answers.schemas.js';
import { AuditCheckpointsService } from './audit-checkpoints.service.js';
import { checkpointQuery, consistencyQuery, timestampQuery } from './audit-queries.schemas.js';

/** The path after `tile/`. */
const TilePath = createParamDecorator((_: undefined, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<HttpRequest>();
  return (params as { '*': string })['*'];
});

/** `/v1/audit`: checkpoints, tiles and witness cosignatures. */
@ApiTags('audit')
@Roles('auditor')
@Controller('v1/audit')
export class AuditCheckpointsController {
  constructor(private readonly checkpoints: AuditCheckpointsService) {}

  @Get('checkpoint')
  @AsRecorded()
  @ApiOperation({ summary: 'Read the newest signed checkpoint' })
  @AnswersIn('text/plain', 'a C2SP signed note', described({ 'Countersign-Vkey': 'the public key of the log' }))
  async checkpoint(
    @Query({ schema: checkpointQuery }) { cosigned }: z.infer<typeof checkpointQuery>,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const note = await this.checkpoints.newest(cosigned);
    if (note instanceof Refusal) return note;
    reply.headers({ 'content-type': 'text/plain; charset=utf-8', 'countersign-vkey': this.checkpoints.vkey });
    return note;
  }

  @Post('cosignatures')
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Cosign a checkpoint as a witness' })
  @Answer(cosignatureAnswer)
  cosign(@Body({ schema: cosignatureRequest }) { note }: z.infer<typeof cosignatureRequest>) {
    return this.checkpoints.keepCosignatures(note);
  }

  @Get('consistency')
  @ApiOperation({ summary: 'Prove that the log only grew between two checkpoints' })
  @Answer(consistencyAnswer)
  consistency(@Query({ schema: consistencyQuery }) { first }: z.infer<typeof consistencyQuery>) {
    return this.checkpoints.consistency(first);
  }

  @Get('timestamp')
  @AsRecorded()
  @ApiOperation({ summary: 'Read a checkpoint with its timestamp (RFC 3161)' })
  @Answer(timestampAnswer)
  timestamp(@Query({ schema: timestampQuery }) { size }: z.infer<typeof timestampQuery>) {
    return this.checkpoints.timestamp(size);
  }

  @Get('tile/*')
  @AsRecorded()
  @Header('content-type', 'application/octet-stream')
  @ApiOperation({ summary: 'Read hashes of a tree (C2SP tlog-tiles)' })
  @ApiParam({ name: 'path', schema: { type: 'string' }, description: '`checkpoints/<tile>` or `<topic>/<partition>/<tile>`' })
  @AnswersIn('application/octet-stream', 'the hashes')
  tile(@TilePath() path: string) {
    return this.checkpoints.tile(path);
  }
}
