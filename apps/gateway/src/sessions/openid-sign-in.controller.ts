import { Refusal } from '@countersign/calls';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { Public } from '../http/access.decorator.js';
import { Answer, Redirects } from '../http/answer.decorator.js';
import type { Problem } from '../http/problem.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { openIdStart, providersQuery, signInProviders } from './openid-sign-in.schemas.js';
import { OpenIdSignIn, type Redirect } from './openid-sign-in.service.js';

/** `/v1/session/openid`: signing in with an OpenID provider. */
@ApiTags('sessions')
@Controller('v1/session')
export class OpenIdSignInController {
  constructor(private readonly signIns: OpenIdSignIn) {}

  @Get('providers')
  @Public()
  @ApiOperation({ summary: 'List the OpenID providers with which people sign in' })
  @Answer(signInProviders)
  providers(@Query({ schema: providersQuery }) { tenant_id }: z.infer<typeof providersQuery>) {
    return { items: this.signIns.providers(tenant_id) };
  }

  @Get('openid/:provider_id')
  @Public()
  @ApiOperation({ summary: 'Sign in with an OpenID provider' })
  @Redirects('to the provider')
  async start(
    @Param('provider_id') provider_id: string,
    @Query({ schema: openIdStart }) { tenant_id, return_to }: z.infer<typeof openIdStart>,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return redirected(reply, await this.signIns.start(request, { tenant_id, provider_id }, return_to));
  }

  @Get('openid::callback')
  @Public()
  @ApiOperation({ summary: 'Return from an OpenID provider' })
  @Redirects('to the page from which the person came, or to the sign-in page if the sign-in was refused')
  async finish(@Req() request: HttpRequest, @Res({ passthrough: true }) reply: HttpReply) {
    return redirected(reply, await this.signIns.finish(request));
  }
}

function redirected(reply: HttpReply, to: Redirect | Problem): Problem | undefined {
  if (to instanceof Refusal) return to;
  reply.headers({ location: to.location, 'set-cookie': to.set_cookies, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  return undefined;
}
