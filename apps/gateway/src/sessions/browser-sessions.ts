import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import { sessionEpoch } from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import type { RefusedRequests } from '../authentication/refused-requests.js';
import type { IncomingRequest } from '../http/reply.js';
import type { SessionAccess } from '../http/session-access.js';
import type { BrowserPlace, BrowserPlaces } from './browser-place.js';
import { refuseCrossSiteChange, refuseCrossSiteRead } from './cross-site.js';
import { REQUEST_TOKEN_HEADER, type RequestTokens } from './request-tokens.js';
import type { SessionClaims, SignedInAs } from './session-claims.js';
import { cookiesNamed, type SealedCookies, setCookie } from './session-cookies.js';
import { type SessionPrincipals, sessionEnded } from './session-principals.js';
import type { SessionSettings } from './session-settings.js';

/** A cookie is renewed at most this often. */
export const RENEWED_EVERY_MS = 300_000;
/** Machines use the other routes, with a token. */
const COOKIE_ROUTES = '/v1/';
const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
const READS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** A session cookie as it was sent: sealed by this installation; its person is not resolved yet. */
export interface SentSession {
  place: BrowserPlace;
  tenant_id: string;
  claims: SessionClaims;
}

/** A session with its person as of now. */
export interface LiveSession extends SentSession {
  caller: Caller;
}

export interface SessionParts {
  places: BrowserPlaces;
  cookies: SealedCookies<SessionClaims>;
  tokens: RequestTokens;
  principals: SessionPrincipals;
  refused: Pick<RefusedRequests, 'note'>;
}

const twoCredentials = (): Refusal => {
  const message = 'the request has a session cookie and an Authorization header: send one of them';
  return new Refusal('invalid-request', message, { issues: [{ path: '/authorization', code: 'refused', message }] });
};
const manyCookies = (name: string): Refusal => {
  const message = `the request has several cookies named ${name}: delete the cookies of this site, then sign in again`;
  return new Refusal('invalid-request', message, { issues: [{ path: '/cookie', code: 'refused', message }] });
};
const expired = (): Refusal =>
  new Refusal('unauthenticated', 'the session was idle for too long or reached its maximum age: sign in again', {
    reason: 'session_expired',
  });
const tokenMissing = (): Refusal =>
  new Refusal('forbidden', 'send the `request_token` of GET /v1/session in the header Countersign-Session', {
    reason: 'request_token_missing',
  });

/** The sessions of browsers. Everything about a session is in its cookie, except that it was ended. */
export class BrowserSessions implements SessionAccess {
  private readonly opened = new WeakMap<IncomingMessage, SentSession | Refusal>();

  constructor(
    private readonly parts: SessionParts,
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly settings: Pick<SessionSettings, 'idle_ms' | 'life_ms'>,
    private readonly now_ms: () => number,
  ) {}

  callerOf(request: IncomingRequest): Caller | Refusal | undefined {
    const session = this.sessionOf(request);
    return session === undefined || session instanceof Refusal ? session : session.caller;
  }

  /** The valid session of a request. Undefined if the request has no session cookie. */
  sessionOf(request: IncomingRequest): LiveSession | Refusal | undefined {
    const sent = this.sent(request);
    if (sent === undefined || sent instanceof Refusal) return sent;
    if (this.isExpired(sent.claims)) return expired();
    const caller = this.parts.principals.callerOf(sent.tenant_id, sent.claims);
    if (caller instanceof Refusal) return caller;
    const foreign = this.refuseForeign(request, sent);
    if (foreign) this.parts.refused.note(caller, request, foreign);
    return foreign ?? { ...sent, caller };
  }

  answerHeaders(request: IncomingRequest): Readonly<Record<string, string>> | undefined {
    const sent = this.sent(request);
    if (sent === undefined || sent instanceof Refusal) return undefined;
    const now_ms = this.now_ms();
    if (now_ms - sent.claims.seen_at_ms < RENEWED_EVERY_MS) return PRIVATE;
    return { ...PRIVATE, 'set-cookie': this.cookieOf(sent, { ...sent.claims, seen_at_ms: now_ms }) };
  }

  /** Starts a session of a person. `life_max_ms`: it ends at this age, or earlier by the settings. */
  begin(place: BrowserPlace, as: SignedInAs, caller: Caller, life_max_ms = Number.POSITIVE_INFINITY): LiveSession & { set_cookie: string } {
    const { tenant_id } = caller;
    const now_ms = this.now_ms();
    const claims = {
      session_id: randomBytes(16).toString('base64url'),
      epoch: sessionEpoch(this.configuration.state, tenant_id, { issuer: caller.issuer, ...caller.principal }),
      started_at_ms: now_ms,
      seen_at_ms: now_ms,
      expires_at_ms: now_ms + Math.min(this.settings.life_ms, life_max_ms),
      as,
    };
    return { place, tenant_id, claims, caller, set_cookie: this.cookieOf({ place, tenant_id }, claims) };
  }

  /** When a session ends without further requests. */
  idleExpiry({ seen_at_ms, expires_at_ms }: SessionClaims): number {
    return Math.min(seen_at_ms + this.settings.idle_ms, expires_at_ms);
  }

  requestToken({ tenant_id, claims }: SentSession): string {
    return this.parts.tokens.of(tenant_id, claims.session_id);
  }

  private sent(request: IncomingRequest): SentSession | Refusal | undefined {
    if (request.headers.cookie === undefined || !request.url.startsWith(COOKIE_ROUTES)) return undefined;
    const known = this.opened.get(request.raw);
    if (known) return known;
    const sent = this.read(request);
    if (sent) this.opened.set(request.raw, sent);
    return sent;
  }

  private read({ headers }: IncomingRequest): SentSession | Refusal | undefined {
    const found = this.parts.places.of(headers).flatMap((place) => cookiesNamed(headers, place.cookie).map((text) => ({ place, text })));
    const [first] = found;
    if (!first) return undefined;
    if (headers.authorization !== undefined) return twoCredentials();
    if (found.length > 1) return manyCookies(first.place.cookie);
    const opened = this.parts.cookies.open(first.place.cookie, first.text);
    return opened ? { place: first.place, tenant_id: opened.tenant_id, claims: opened.value } : sessionEnded();
  }

  private isExpired(claims: SessionClaims): boolean {
    const now_ms = this.now_ms();
    return now_ms >= this.idleExpiry(claims) || now_ms >= claims.started_at_ms + this.settings.life_ms;
  }

  private refuseForeign({ headers, raw }: IncomingRequest, { place, tenant_id, claims }: SentSession): Refusal | undefined {
    if (READS.has(raw.method)) return refuseCrossSiteRead(headers);
    const foreign = refuseCrossSiteChange(headers, place);
    if (foreign) return foreign;
    return this.parts.tokens.accepts(tenant_id, claims.session_id, headers[REQUEST_TOKEN_HEADER]) ? undefined : tokenMissing();
  }

  private cookieOf({ place, tenant_id }: Pick<SentSession, 'place' | 'tenant_id'>, claims: SessionClaims): string {
    const max_age_s = Math.ceil((this.idleExpiry(claims) - claims.seen_at_ms) / 1000);
    return setCookie(place.cookie, this.parts.cookies.seal(place.cookie, tenant_id, claims), max_age_s);
  }
}
