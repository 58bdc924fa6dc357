import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Change } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { type ProducerRequest, producerAnswer, producerPage, producerRequest } from './producers.schemas.js';
import { ProducersService } from './producers.service.js';

/** `/v1/producers`: who may ask for calls on a Kafka topic of its own. */
@ApiTags('producers')
@Roles('admin')
@Controller('v1/producers')
export class ProducersController {
  constructor(private readonly producers: ProducersService) {}

  @Get()
  @ApiOperation({ summary: 'List producers' })
  @Answer(producerPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.producers.list(tenant_id, query);
  }

  @Get(':producer_id')
  @ApiOperation({ summary: 'Read a producer' })
  @Answer(producerAnswer)
  read(@CurrentCaller() caller: Caller, @Param('producer_id') producer_id: string) {
    return this.producers.read(caller, producer_id);
  }

  @Post()
  @Change()
  @ApiOperation({ summary: 'Register a producer and create its topics' })
  @Answer(producerAnswer, { status: 201 })
  async register(
    @CurrentCaller() caller: Caller,
    @Body({ schema: producerRequest }) body: ProducerRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.producers.register(caller, body, { headers }));
  }

  @Delete(':producer_id')
  @Change()
  @ApiOperation({ summary: 'Revoke a producer: its records are refused from now on' })
  @NoAnswer()
  revoke(@CurrentCaller() caller: Caller, @Param('producer_id') producer_id: string, @Headers() headers: IncomingHttpHeaders) {
    return this.producers.revoke(caller, producer_id, { headers });
  }
}
