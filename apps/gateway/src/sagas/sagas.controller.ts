import { type Caller, Refusal, type Seen } from '@countersign/calls';
import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SUBMITTERS } from '../calls/call-posts.service.js';
import { Roles } from '../http/access.decorator.js';
import { AlsoAnswers, Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { type HttpReply, type HttpRequest, headerOf } from '../http/reply.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { AnswerFromViews } from '../positions/views-behind.interceptor.js';
import { waitIfPreferred } from '../requests/preferences.js';
import { type SagaRequest, sagaRequest } from './saga-request.schemas.js';
import { SagaStarts } from './saga-starts.service.js';
import { type SagasQuery, sagaPage, sagaSummary, sagasQuery, sagaWithSteps } from './sagas.schemas.js';
import { SagasService } from './sagas.service.js';

const KEY =
  'the same key and request is the same saga: 1 to 255 printable ASCII characters. Without a key and a saga_id each request is a new saga';
const WAIT = '`wait=N`: seconds to wait for the saga to end; absent: only for its start';

/** `/v1/sagas`: start, list, read. */
@ApiTags('sagas')
@Controller('v1/sagas')
export class SagasController {
  constructor(
    private readonly sagas: SagasService,
    private readonly starts: SagaStarts,
  ) {}

  @Post()
  @Roles(...SUBMITTERS)
  @ApiOperation({ summary: 'Start a saga' })
  @ApiHeader({ name: 'Prefer', description: WAIT, required: false })
  @ApiHeader({ name: 'Idempotency-Key', description: KEY, required: false })
  @Answer(sagaSummary, { status: 201, description: 'the saga was started and has ended' })
  @AlsoAnswers(200, sagaSummary, 'an equal request started the saga before, and it has ended')
  @AlsoAnswers(202, sagaSummary, 'the saga was started, by this or an equal request, and has not ended')
  async start(
    @CurrentCaller() caller: Caller,
    @Body({ schema: sagaRequest }) body: SagaRequest,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const idempotency_key = headerOf(request, 'idempotency-key');
    const started = await this.starts.start(body, { caller, idempotency_key, wait_ms: waitIfPreferred(headerOf(request, 'prefer')) });
    if (started instanceof Refusal) return started;
    const { saga, has_ended, is_repeat, headers } = started;
    reply.code(has_ended ? (is_repeat ? 200 : 201) : 202).headers(headers);
    return saga;
  }

  @Get()
  @Roles()
  @ApiOperation({ summary: 'List sagas, newest first' })
  @AnswerFromViews(sagaPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: sagasQuery }) query: SagasQuery) {
    return this.sagas.list(tenant_id, query);
  }

  @Get(':saga_id')
  @Roles()
  @ApiOperation({ summary: 'Read a saga with its steps, waits and tickets' })
  @Answer(sagaWithSteps)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('saga_id') saga_id: string, @SeenPositions() seen: Seen) {
    return this.sagas.read(tenant_id, saga_id, seen);
  }
}
