import { Refusal } from '@countersign/calls';
import { Body, Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { Public, Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import type { Problem } from '../http/problem.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { keySignIn, linkSignIn, type SessionAnswer, session } from './session.schemas.js';
import { SessionService } from './session.service.js';
import { clearedCookie } from './session-cookies.js';
import { SignInService, type StartedSession } from './sign-in.service.js';

/** `/v1/session`: the session of a browser. */
@ApiTags('sessions')
@Controller('v1')
export class SessionController {
  constructor(
    private readonly sessions: SessionService,
    private readonly signIns: SignInService,
  ) {}

  @Post('session')
  @Public()
  @ApiOperation({ summary: 'Sign in to the console with an API key' })
  @Answer(session)
  async signIn(
    @Body({ schema: keySignIn }) { key }: z.infer<typeof keySignIn>,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return this.started(await this.signIns.byKey(request, key), reply);
  }

  @Post('session::link')
  @Public()
  @ApiOperation({ summary: 'Sign in to the console with a one-time link' })
  @Answer(session)
  async signInByLink(
    @Body({ schema: linkSignIn }) { token }: z.infer<typeof linkSignIn>,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return this.started(await this.signIns.byLink(request, token), reply);
  }

  @Get('session')
  @Roles()
  @ApiOperation({ summary: 'Read your session' })
  @Answer(session)
  read(@Req() request: HttpRequest, @Res({ passthrough: true }) reply: HttpReply) {
    const known = this.sessions.of(request);
    if (known instanceof Refusal) return known;
    reply.header('cache-control', 'no-store');
    return this.sessions.answerOf(known);
  }

  @Delete('session')
  @Roles()
  @ApiOperation({ summary: 'Sign out' })
  @NoAnswer()
  async signOut(@Req() request: HttpRequest, @Res({ passthrough: true }) reply: HttpReply) {
    const known = this.sessions.of(request);
    if (known instanceof Refusal) return known;
    await this.sessions.end(known, request);
    reply.header('set-cookie', clearedCookie(known.place));
    return undefined;
  }

  @Post('session::end-all')
  @Roles()
  @ApiOperation({ summary: 'Sign out everywhere' })
  @NoAnswer()
  async signOutEverywhere(@Req() request: HttpRequest, @Res({ passthrough: true }) reply: HttpReply) {
    const known = this.sessions.of(request);
    if (known instanceof Refusal) return known;
    await this.sessions.endAll(known, request);
    reply.header('set-cookie', clearedCookie(known.place));
    return undefined;
  }

  private started(session: StartedSession | Problem, reply: HttpReply): SessionAnswer | Problem {
    if (session instanceof Refusal) return session;
    reply.headers({ 'set-cookie': session.set_cookie, 'cache-control': 'no-store' });
    return this.sessions.answerOf(session);
  }
}
