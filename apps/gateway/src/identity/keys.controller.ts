import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Change } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import {
  type KeyChange,
  type KeyListQuery,
  type KeyRequest,
  keyAnswer,
  keyChange,
  keyListQuery,
  keyPage,
  keyRequest,
  mintedKey,
} from './keys.schemas.js';
import { KeysService } from './keys.service.js';

/** `/v1/keys`: the API keys of a tenant. */
@ApiTags('keys')
@Controller('v1/keys')
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Get()
  @Roles('admin')
  @ApiOperation({ summary: 'List API keys' })
  @Answer(keyPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: keyListQuery }) query: KeyListQuery) {
    return this.keys.list(tenant_id, query);
  }

  @Get(':key_id')
  @Roles('admin')
  @ApiOperation({ summary: 'Read an API key, without the key itself' })
  @Answer(keyAnswer)
  read(@CurrentCaller() caller: Caller, @Param('key_id') key_id: string) {
    return this.keys.read(caller, key_id);
  }

  @Patch(':key_id')
  @Roles('admin')
  @Change()
  @ApiOperation({ summary: 'Rename an API key' })
  @Answer(keyAnswer)
  rename(
    @CurrentCaller() caller: Caller,
    @Param('key_id') key_id: string,
    @Body({ schema: keyChange }) body: KeyChange,
    @Headers() headers: IncomingHttpHeaders,
  ) {
    return this.keys.rename(caller, key_id, body, { headers });
  }

  @Post()
  @Roles('admin')
  @Change()
  @ApiOperation({ summary: 'Create an API key' })
  @Answer(mintedKey, { status: 201 })
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: keyRequest }) body: KeyRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.keys.mint(caller, body, { headers }));
  }

  @Delete(':key_id')
  @Roles('admin')
  @Change()
  @ApiOperation({ summary: 'Revoke an API key' })
  @NoAnswer()
  revoke(@CurrentCaller() caller: Caller, @Param('key_id') key_id: string, @Headers() headers: IncomingHttpHeaders) {
    return this.keys.revoke(caller, key_id, { headers });
  }
}
