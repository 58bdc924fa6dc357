import { Readable, Refusal, type Seen } from '@countersign/calls';
import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { Public } from '../http/access.decorator.js';
import { Answer, AnswersIn } from '../http/answer.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { votedApproval } from './approval-answers.schemas.js';
import { type DecisionRequest, decisionQuery, decisionRequest } from './approval-requests.schemas.js';
import { DECISION_SCRIPT_HASH, decisionPage } from './decision-page.js';
import { DecisionsService } from './decisions.service.js';

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': `default-src 'none'; script-src 'sha256-${DECISION_SCRIPT_HASH}'; connect-src 'self'; frame-ancestors 'none'`,
};

/** `/v1/decisions`: the target of a decision link. A GET decides nothing, because mail scanners open links; only a POST votes. */
@ApiTags('approvals')
@Controller('v1/decisions')
export class DecisionsController {
  constructor(
    private readonly decisions: DecisionsService,
    private readonly readable: Readable,
  ) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'Read the page of a decision link' })
  @AnswersIn('text/html', 'an HTML page with the request and a button for each decision')
  async look(
    @Query({ schema: decisionQuery }) { token }: z.infer<typeof decisionQuery>,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const found = await this.decisions.look(token, seen);
    if (found instanceof Refusal) return found;
    const opened = await this.readable.value(found.tenant_id, found.approval);
    reply.headers(PAGE_HEADERS);
    return decisionPage(opened);
  }

  @Post()
  @Public()
  @ApiOperation({ summary: 'Decide with a link' })
  @Answer(votedApproval)
  async decide(@Body({ schema: decisionRequest }) body: DecisionRequest, @SeenPositions() seen: Seen) {
    const decided = await this.decisions.decide(body, seen);
    return decided instanceof Refusal ? decided : this.readable.value(decided.tenant_id, decided.approval);
  }
}
