import type { Caller } from '@countersign/calls';
import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { isoOf } from '../answers/shared-schemas.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { OfDefaultTenant } from '../installation/default-tenant.guard.js';
import { SignInLinks, signInUrl, YOU } from './sign-in-links.js';
import { signInLink } from './sign-in-links.schemas.js';

/** `POST /v1/sign-in-links`: a new one-time link for the first person of the installation. */
@ApiTags('sessions')
@Controller('v1/sign-in-links')
export class SignInLinksController {
  constructor(private readonly links: SignInLinks) {}

  @Post()
  @Roles('admin')
  @OfDefaultTenant('sign-in links')
  @ApiOperation({ summary: 'Make a one-time sign-in link' })
  @Answer(signInLink, { status: 201 })
  async make(@CurrentCaller() { principal }: Caller, @Req() { raw }: HttpRequest, @Res({ passthrough: true }) reply: HttpReply) {
    const { token, link_id, expires_at_ms } = await this.links.make(principal);
    reply.header('cache-control', 'no-store');
    const url = signInUrl('127.0.0.1', raw.socket.localPort as number, token);
    return { link_id, url, principal: YOU, expires_at: isoOf(expires_at_ms) };
  }
}
