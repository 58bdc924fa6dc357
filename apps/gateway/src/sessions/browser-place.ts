import type { IncomingHttpHeaders } from 'node:http';
import { LOOPBACK_HOST } from '../http/loopback-request.js';

export const SECURE_COOKIE = '__Host-countersign';
export const LOOPBACK_COOKIE = 'countersign';

/** The address under which a browser uses this gateway, and the session cookie of that address. */
export interface BrowserPlace {
  origin: string;
  cookie: typeof SECURE_COOKIE | typeof LOOPBACK_COOKIE;
}

/**
 * The places that may have sessions: the public URL if it is https, and http on loopback. The host of a request counts, not its peer: it
 * is what the browser has in its address bar, also behind a forwarded port.
 */
export class BrowserPlaces {
  private readonly secure: BrowserPlace | undefined;

  constructor(public_url: string | undefined) {
    const url = public_url === undefined ? undefined : new URL(public_url);
    if (url?.protocol === 'https:') this.secure = { origin: url.origin, cookie: SECURE_COOKIE };
  }

  /** The places whose cookie a request may carry. */
  of({ host }: IncomingHttpHeaders): BrowserPlace[] {
    const local = localPlace(host);
    return [...(this.secure ? [this.secure] : []), ...(local ? [local] : [])];
  }

  /** The place that a request without a session comes from; undefined: no session can start there. */
  ofSignIn(headers: IncomingHttpHeaders): BrowserPlace | undefined {
    const places = this.of(headers);
    return headers.origin === undefined ? places[0] : places.find(({ origin }) => origin === headers.origin);
  }
}

function localPlace(host: string | undefined): BrowserPlace | undefined {
  // A port above 65535 is in no URL.
  if (host === undefined || !LOOPBACK_HOST.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return { origin: new URL(`http://${host}`).origin, cookie: LOOPBACK_COOKIE };
}
