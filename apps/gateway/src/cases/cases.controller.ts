import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal, type Seen } from '@countersign/calls';
import { Body, Controller, Get, Headers, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { AlsoAnswers, Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { AnswerFromViews } from '../positions/views-behind.interceptor.js';
import { caseHistoryPage } from './case-history.schema.js';
import {
  type CaseChange,
  type CaseRequest,
  type CasesQuery,
  caseAnswer,
  caseChange,
  casePage,
  caseRequest,
  casesQuery,
  type HistoryQuery,
  historyQuery,
} from './cases.schemas.js';
import { CasesService, type CaseWithHeaders } from './cases.service.js';

/** `/v1/cases`: groups of related calls. */
@ApiTags('cases')
@Controller('v1/cases')
export class CasesController {
  constructor(private readonly cases: CasesService) {}

  @Post()
  @Roles('agent', 'operator')
  @ApiOperation({ summary: 'Open a case' })
  @Answer(caseAnswer, { status: 201 })
  @AlsoAnswers(200, caseAnswer, 'an equal case with this external_id already exists')
  async open(
    @CurrentCaller() caller: Caller,
    @Body({ schema: caseRequest }) body: CaseRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const opened = await this.cases.open(caller, body);
    if (!(opened instanceof Refusal) && opened.was_open) reply.code(200);
    return answer(opened, reply);
  }

  @Patch(':case_id')
  @Roles('agent', 'operator')
  @Edit()
  @ApiOperation({ summary: 'Close or reopen a case' })
  @Answer(caseAnswer)
  async change(
    @CurrentCaller() caller: Caller,
    @Param('case_id') case_id: string,
    @Body({ schema: caseChange }) body: CaseChange,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return answer(await this.cases.change(caller, case_id, body, { headers }), reply);
  }

  @Get()
  @Roles()
  @ApiOperation({ summary: 'List cases' })
  @AnswerFromViews(casePage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: casesQuery }) query: CasesQuery) {
    return this.cases.list(tenant_id, query);
  }

  @Get(':case_id')
  @Roles()
  @ApiOperation({ summary: 'Read a case' })
  @Answer(caseAnswer)
  async read(
    @CurrentCaller() { tenant_id }: Caller,
    @Param('case_id') case_id: string,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return answer(await this.cases.read(tenant_id, case_id, seen), reply);
  }

  @Get(':case_id/history')
  @Roles()
  @ApiOperation({ summary: 'Read the timeline of a case' })
  @Answer(caseHistoryPage)
  history(
    @CurrentCaller() caller: Caller,
    @Param('case_id') case_id: string,
    @Query({ schema: historyQuery }) query: HistoryQuery,
    @SeenPositions() seen: Seen,
  ) {
    return this.cases.history(caller, case_id, query, seen);
  }
}

function answer(made: CaseWithHeaders | Refusal, reply: HttpReply) {
  if (made instanceof Refusal) return made;
  reply.headers(made.headers);
  return made.answer;
}
