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
import {
  type IdentityProviderRequest,
  identityProvider,
  identityProviderPage,
  identityProviderRequest,
} from './identity-providers.schemas.js';
import { IdentityProvidersService } from './identity-providers.service.js';

/** `/v1/identity-providers`: the OpenID providers of a tenant. */
@ApiTags('identity')
@Controller('v1/identity-providers')
export class IdentityProvidersController {
  constructor(private readonly providers: IdentityProvidersService) {}

  @Get()
  @Roles('admin', 'auditor')
  @ApiOperation({ summary: 'List OpenID providers' })
  @Answer(identityProviderPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.providers.list(tenant_id, query);
  }

  @Put(':provider_id')
  @Roles('admin')
  @Edit()
  @ApiOperation({ summary: 'Set an OpenID provider' })
  @Answer(identityProvider)
  async set(
    @CurrentCaller() caller: Caller,
    @Param('provider_id') provider_id: string,
    @Body({ schema: identityProviderRequest }) body: IdentityProviderRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.providers.set(caller, provider_id, body, { headers }));
  }

  @Delete(':provider_id')
  @Roles('admin')
  @Edit()
  @ApiOperation({ summary: 'Remove an OpenID provider' })
  @NoAnswer()
  remove(@CurrentCaller() caller: Caller, @Param('provider_id') provider_id: string, @Headers() headers: IncomingHttpHeaders) {
    return this.providers.remove(caller, provider_id, { headers });
  }
}
