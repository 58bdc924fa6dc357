import { type Caller, Refusal } from '@countersign/calls';
import { Injectable } from '@nestjs/common';
import { hashApiKey } from '../authentication/api-key.js';
import { Authenticator } from '../authentication/authenticator.js';
import type { Problem } from '../http/problem.js';
import type { IncomingRequest } from '../http/reply.js';
import { BrowserSessions, type LiveSession } from './browser-sessions.js';
import { SignInGuard } from './sign-in-guard.js';
import { SignInRecord } from './sign-in-record.js';

/** A session that has just started, with its `Set-Cookie` header. */
export type StartedSession = LiveSession & { set_cookie: string };

const failed = (): Refusal =>
  new Refusal('unauthenticated', 'the key is unknown, revoked or expired', { reason: 'sign_in_failed' }, { invalid_token: true });
const notAPerson = ({ principal }: Caller): Refusal =>
  new Refusal('forbidden', `this is the key of ${principal.kind} ${principal.id}: only people sign in to the console`, {
    reason: 'user_required',
  });

/** Signs people in with an API key. */
@Injectable()
export class SignInService {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly authenticator: Authenticator,
    private readonly guard: SignInGuard,
    private readonly record: SignInRecord,
  ) {}

  async byKey(request: IncomingRequest, key: string): Promise<StartedSession | Problem> {
    const place = this.guard.admitPage(request);
    if (place instanceof Refusal) return place;
    const stale = this.authenticator.stale();
    if (stale) return stale;
    const caller = this.authenticator.callerOfHash(hashApiKey(key.trim()));
    if (caller instanceof Refusal) {
      this.record.refused('the key is unknown, revoked or expired');
      return failed();
    }
    if (caller.principal.kind !== 'user') {
      this.record.refused(`by key ${caller.key_id}: not a person`, caller);
      return notAPerson(caller);
    }
    const started = this.sessions.begin(place, { by: 'key', key_id: caller.key_id }, caller);
    await this.record.signedIn(caller, `by key ${caller.key_id}`);
    return started;
  }
}
