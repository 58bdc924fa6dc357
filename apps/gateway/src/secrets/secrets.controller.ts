import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { AlsoAnswers, Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { OfDefaultTenant } from '../installation/default-tenant.guard.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { resolvedSecret, rotatedKeys, type SecretRequest, secret, secretPage, secretRequest } from './secrets.schemas.js';
import { SecretsService } from './secrets.service.js';

/** `/v1/secrets`: secrets that tools authenticate with. Values are write-only. */
@ApiTags('secrets')
@Controller('v1')
export class SecretsController {
  constructor(private readonly secrets: SecretsService) {}

  @Get('secrets')
  @Roles()
  @ApiOperation({ summary: 'List secrets, without their values' })
  @Answer(secretPage)
  list(@CurrentCaller() caller: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.secrets.list(caller, query);
  }

  @Get('secrets/:name')
  @Roles()
  @ApiOperation({ summary: 'Read which secret of a name your calls use' })
  @Answer(resolvedSecret)
  async resolved(@CurrentCaller() caller: Caller, @Param('name') name: string, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, await this.secrets.resolve(caller, name));
  }

  @Put('secrets/:scope/:name')
  @Roles()
  @Edit()
  @ApiOperation({ summary: 'Set a secret' })
  @Answer(secret)
  @AlsoAnswers(201, secret, 'the secret was created')
  async set(
    @CurrentCaller() caller: Caller,
    @Param('scope') scope: string,
    @Param('name') name: string,
    @Body({ schema: secretRequest }) body: SecretRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const set = await this.secrets.set(caller, { scope, name }, body, { headers });
    if (!(set instanceof Refusal)) reply.code(set.body.version === 1 ? 201 : 200);
    return withHeaders(reply, set);
  }

  @Post('secrets/:scope/:name/rotate')
  @Roles()
  @Edit()
  @ApiOperation({ summary: 'Replace the value of a secret' })
  @Answer(secret)
  async rotate(
    @CurrentCaller() caller: Caller,
    @Param('scope') scope: string,
    @Param('name') name: string,
    @Body({ schema: secretRequest }) body: SecretRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.secrets.rotate(caller, { scope, name }, body, { headers }));
  }

  @Delete('secrets/:scope/:name')
  @Roles()
  @Edit()
  @ApiOperation({ summary: 'Delete a secret' })
  @NoAnswer()
  remove(
    @CurrentCaller() caller: Caller,
    @Param('scope') scope: string,
    @Param('name') name: string,
    @Headers() headers: IncomingHttpHeaders,
  ) {
    return this.secrets.remove(caller, { scope, name }, { headers });
  }

  // In Fastify's routes a double colon is a literal colon.
  @Post('secrets::rotate-keys')
  @Roles('admin')
  @OfDefaultTenant('the keys of secrets')
  @ApiOperation({ summary: 'Wrap all secrets with a new key' })
  @Answer(rotatedKeys)
  rotateKeys() {
    return this.secrets.rotateKeys();
  }
}
