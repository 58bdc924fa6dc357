import { type Caller, Refusal } from '@countersign/calls';
import { Injectable } from '@nestjs/common';
import { hashApiKey } from '../authentication/api-key.js';
import { Authenticator } from '../authentication/authenticator.js';
import { isFromLoopback } from '../http/loopback-request.js';
import type { Problem } from '../http/problem.js';
import type { IncomingRequest } from '../http/reply.js';
import { LOOPBACK_COOKIE } from './browser-place.js';
import { BrowserSessions, type LiveSession } from './browser-sessions.js';
import { SignInGate } from './sign-in-gate.js';
import { SignInLinks } from './sign-in-links.js';

/** A session that has just started, with its `Set-Cookie` header. */
export type StartedSession = LiveSession & { set_cookie: string };

const failed = (what: string): Refusal => new Refusal('unauthenticated', what, { reason: 'sign_in_failed' }, { invalid_token: true });
const BAD_KEY = 'the key is unknown, revoked or expired';
const BAD_LINK = 'the link is unknown, used or expired, or its person was revoked';
const notHere = (): Refusal =>
  new Refusal('forbidden', 'a sign-in link works only in a browser on the machine of the gateway, at its loopback address', {
    reason: 'loopback_required',
  });
const notAPerson = ({ principal }: Caller): Refusal =>
  new Refusal('forbidden', `this is the key of ${principal.kind} ${principal.id}: only people sign in to the console`, {
    reason: 'user_required',
  });

/** Signs people in with an API key or a one-time link. */
@Injectable()
export class SignInService {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly authenticator: Authenticator,
    private readonly gate: SignInGate,
    private readonly links: SignInLinks,
  ) {}

  async byKey(request: IncomingRequest, key: string): Promise<StartedSession | Problem> {
    const place = this.gate.guard.admitPage(request);
    if (place instanceof Refusal) return place;
    const stale = this.authenticator.stale();
    if (stale) return stale;
    const caller = this.authenticator.callerOfHash(hashApiKey(key.trim()));
    if (caller instanceof Refusal) {
      this.gate.record.refused(BAD_KEY);
      return failed(BAD_KEY);
    }
    if (caller.principal.kind !== 'user') {
      this.gate.record.refused(`by key ${caller.key_id}: not a person`, caller);
      return notAPerson(caller);
    }
    const started = this.sessions.begin(place, { by: 'key', key_id: caller.key_id }, caller);
    await this.gate.record.signedIn(caller, `by key ${caller.key_id}`);
    return started;
  }

  async byLink(request: IncomingRequest, token: string): Promise<StartedSession | Problem> {
    const place = this.gate.guard.admitPage(request);
    if (place instanceof Refusal) return place;
    if (place.cookie !== LOOPBACK_COOKIE || !isFromLoopback(request)) return notHere();
    const stale = this.authenticator.stale();
    if (stale) return stale;
    const link = this.links.of(token);
    const caller = link && this.authenticator.callerOfKeyId(link.key_id);
    const started = caller && this.sessions.begin(place, { by: 'link', key_id: caller.key_id }, caller);
    if (!link || !started || !(await this.links.use(link, started.claims.session_id))) {
      this.gate.record.refused(BAD_LINK, caller);
      return failed(BAD_LINK);
    }
    await this.gate.record.signedIn(caller, `by link ${link.link_id}`);
    return started;
  }
}
