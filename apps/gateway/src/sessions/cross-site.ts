import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '@countersign/calls';
import type { BrowserPlace } from './browser-place.js';

/** Values of `Sec-Fetch-Site` of a page of this gateway, and of an address that a person typed. */
const OWN_SITES: ReadonlySet<unknown> = new Set([undefined, 'same-origin', 'none']);

const crossSite = (detail: string): Refusal => new Refusal('forbidden', detail, { reason: 'cross_site_request' });

/** Refuses a read that a page of another origin makes with the cookie of this one. */
export function refuseCrossSiteRead(headers: IncomingHttpHeaders): Refusal | undefined {
  if (OWN_SITES.has(headers['sec-fetch-site'])) return undefined;
  return crossSite('a page of another origin made this request: with a session cookie, only pages of this gateway may');
}

/**
 * Refuses a request that changes state unless the browser says that a page of this origin made it: by `Origin`, or without one by
 * `Sec-Fetch-Site: same-origin`.
 */
export function refuseCrossSiteChange(headers: IncomingHttpHeaders, { origin }: BrowserPlace): Refusal | undefined {
  const site = headers['sec-fetch-site'];
  const is_own = headers.origin === undefined ? site === 'same-origin' : headers.origin === origin && OWN_SITES.has(site);
  if (is_own) return undefined;
  return crossSite(`send \`Origin: ${origin}\` or \`Sec-Fetch-Site: same-origin\`, as browsers do for pages of this gateway`);
}
