import { Refusal } from '@countersign/calls';
import type { HttpBounds } from '../bounds/http-bounds.js';
import type { Problem } from '../http/problem.js';
import { headerOf, type IncomingRequest } from '../http/reply.js';
import type { BrowserPlace, BrowserPlaces } from './browser-place.js';
import { refuseCrossSiteChange, refuseCrossSiteRead } from './cross-site.js';
import type { SignInAttempts } from './sign-in-attempts.js';

const needsHttps = (): Refusal =>
  new Refusal(
    'forbidden',
    'a session needs https, or http on loopback (127.0.0.1, localhost): over plain http anyone on the way could read its cookie. ' +
      'Behind a proxy that terminates TLS, set COUNTERSIGN_PUBLIC_URL to the https address that browsers use',
    { reason: 'session_needs_https' },
  );

/** Decides whether a request may try to sign in: where its browser is, which page sent it, and how many attempts there were. */
export class SignInGuard {
  constructor(
    private readonly places: BrowserPlaces,
    private readonly attempts: SignInAttempts,
    private readonly bounds: Pick<HttpBounds, 'addressOf'>,
  ) {}

  /** For a request of a page: a page of another origin could otherwise sign its visitor in as somebody else. */
  admitPage(request: IncomingRequest): BrowserPlace | Problem {
    const { headers } = request;
    const place = this.places.ofSignIn(headers);
    if (!place) return this.refusePlace(headers.origin);
    return refuseCrossSiteChange(headers, place) ?? this.count(request) ?? place;
  }

  /** For a navigation, which has no `Origin`. */
  admitNavigation(request: IncomingRequest): BrowserPlace | Problem {
    const [place] = this.places.of(request.headers);
    if (!place) return needsHttps();
    return refuseCrossSiteRead(request.headers) ?? this.count(request) ?? place;
  }

  /** For the answer of an identity provider, which is a navigation of another site. */
  admitAnswer(request: IncomingRequest): BrowserPlace | Problem {
    const [place] = this.places.of(request.headers);
    return place ? (this.count(request) ?? place) : needsHttps();
  }

  private refusePlace(origin: string | undefined): Refusal {
    const [own] = this.places.of({});
    if (own && origin?.startsWith('https:')) return refuseCrossSiteChange({ origin }, own) as Refusal;
    return needsHttps();
  }

  private count({ headers, raw }: IncomingRequest): Problem | undefined {
    return this.attempts.take(this.bounds.addressOf(raw.socket, headerOf({ headers }, 'x-forwarded-for')));
  }
}
