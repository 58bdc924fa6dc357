import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import type { HttpReply } from '../http/reply.js';
import { OfDefaultTenant } from '../installation/default-tenant.guard.js';
import { type ScrubRequest, scrubAnswer, scrubRequest } from './scrubs.schemas.js';
import { ScrubsService } from './scrubs.service.js';

/** `/v1/scrubs`: compares the whole record with what was signed, now. */
@ApiTags('audit')
@OfDefaultTenant('comparisons of the record')
@Controller('v1/scrubs')
export class ScrubsController {
  constructor(private readonly scrubs: ScrubsService) {}

  @Post()
  @Roles('operator')
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Start a comparison of the whole record with its signatures' })
  @Answer(scrubAnswer, { status: 202 })
  async start(@Body({ schema: scrubRequest }) body: ScrubRequest, @Res({ passthrough: true }) reply: HttpReply) {
    const run = await this.scrubs.start(body);
    reply.header('location', `/v1/scrubs/${run.run_id}`);
    return run;
  }

  @Get(':run_id')
  @Roles('operator')
  @ApiOperation({ summary: 'Read the progress and findings of a comparison' })
  @Answer(scrubAnswer)
  read(@Param('run_id') run_id: string) {
    return this.scrubs.read(run_id);
  }
}
