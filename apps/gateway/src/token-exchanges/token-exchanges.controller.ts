import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { type TokenExchangeRequest, tokenExchange, tokenExchangePage, tokenExchangeRequest } from './token-exchanges.schemas.js';
import { TokenExchangesService } from './token-exchanges.service.js';

/** `/v1/token-exchanges`: credentials of tools in exchange for a user's token. */
@ApiTags('identity')
@Controller('v1/token-exchanges')
export class TokenExchangesController {
  constructor(private readonly exchanges: TokenExchangesService) {}

  @Get()
  @Roles('admin', 'auditor')
  @ApiOperation({ summary: 'List token exchanges' })
  @Answer(tokenExchangePage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.exchanges.list(tenant_id, query);
  }

  @Put(':name')
  @Roles('admin')
  @Edit()
  @ApiOperation({ summary: 'Set a token exchange' })
  @Answer(tokenExchange)
  async set(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Body({ schema: tokenExchangeRequest }) body: TokenExchangeRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.exchanges.set(caller, name, body, { headers }));
  }

  @Delete(':name')
  @Roles('admin')
  @Edit()
  @ApiOperation({ summary: 'Remove a token exchange' })
  @NoAnswer()
  remove(@CurrentCaller() caller: Caller, @Param('name') name: string, @Headers() headers: IncomingHttpHeaders) {
    return this.exchanges.remove(caller, name, { headers });
  }
}
