import { type Caller, type CallRequest, Calls, callRequest, Refusal, type Seen } from '@countersign/calls';
import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { AlsoAnswers, Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { JsonText } from '../http/json-text.js';
import type { HttpReply, IncomingRequest, OutgoingReply } from '../http/reply.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { AnswerFromViews } from '../positions/views-behind.interceptor.js';
import { CallPosts, SUBMITTERS } from './call-posts.service.js';
import { type CallsQuery, callPage, callsQuery } from './calls.schemas.js';
import { CallsService } from './calls.service.js';
import { callEnvelope } from './envelope.schema.js';

const KEY = 'idempotency key of a write: 1 to 255 printable ASCII characters; absent: derived from the inputs. Reads are not deduplicated';
const WAIT = '`wait=N`: seconds to wait for the call to end. After that the response is 202 with its current state';
const TRACE = 'W3C trace context: the trace that the call belongs to';

/** `/v1/calls`: submit, read, list. */
@ApiTags('calls')
@Controller('v1/calls')
export class CallsController {
  constructor(
    private readonly calls: Calls,
    private readonly posts: CallPosts,
    private readonly service: CallsService,
  ) {}

  @Post()
  @Roles(...SUBMITTERS)
  @ApiOperation({ summary: 'Submit a call' })
  @ApiHeader({ name: 'traceparent', description: TRACE, required: false })
  @ApiHeader({ name: 'Prefer', description: WAIT, required: false })
  @ApiHeader({ name: 'Idempotency-Key', description: KEY, required: false })
  @Answer(callEnvelope, { description: 'the call has ended or is in doubt' })
  @AlsoAnswers(202, callEnvelope, 'the call has not ended: it waits for an approval, or the wait time has passed')
  submit(
    @CurrentCaller() caller: Caller,
    @Body({ schema: callRequest }) body: CallRequest,
    @Req() request: IncomingRequest,
    @Res() reply: OutgoingReply,
  ) {
    return this.posts.submit(body, caller, request, reply);
  }

  @Get()
  @Roles()
  @ApiOperation({ summary: 'List calls, newest first' })
  @AnswerFromViews(callPage)
  list(@CurrentCaller() caller: Caller, @Query({ schema: callsQuery }) query: CallsQuery) {
    return this.service.list(caller, query);
  }

  @Get(':call_id')
  @Roles()
  @ApiOperation({ summary: 'Read a call' })
  @Answer(callEnvelope)
  async read(
    @CurrentCaller() caller: Caller,
    @Param('call_id') call_id: string,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const reading = await this.calls.status({ caller, call_id, seen });
    if (reading instanceof Refusal) return reading;
    if (reading.was_sealed) reply.header('cache-control', 'no-store');
    return new JsonText({ text: reading.envelope });
  }
}
