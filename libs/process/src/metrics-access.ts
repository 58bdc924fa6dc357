import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { isLoopback, type TrustedProxies } from './peer-address.js';

/** Minimum length of the token; a shorter one is a settings fault. */
const METRICS_TOKEN_CHARS_MIN = 16;

/** The variable that holds the token. */
export const metricsToken = z
  .string()
  .min(METRICS_TOKEN_CHARS_MIN)
  .optional()
  .describe('bearer token for `/metrics` from other machines; unset: only loopback, and auditors at the gateway, may read it');

/** Headers that reverse proxies add: the sender is remote, even if the peer is loopback. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'] as const;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether a request came from this machine without a proxy that identifies itself. */
export function isDirectLoopback(peer: string | undefined, headers: IncomingHttpHeaders): boolean {
  return isLoopback(peer) && PROXY_HEADERS.every((name) => headers[name] === undefined);
}

/** Who may read `/metrics` without an API key: this machine, and holders of the metrics token. */
export class MetricsAccess {
  private readonly expected: Buffer | undefined;

  /** Trusted proxies on loopback forward requests of others, so they need the token. */
  constructor(
    token: string | undefined,
    private readonly proxies?: Pick<TrustedProxies, 'trusts'>,
  ) {
    this.expected = token === undefined ? undefined : digest(token);
  }

  admits(peer: string | undefined, headers: IncomingHttpHeaders): boolean {
    const is_this_machine = isDirectLoopback(peer, headers) && this.proxies?.trusts(peer) !== true;
    return is_this_machine || this.hasToken(headers.authorization);
  }

  private hasToken(authorization: string | undefined): boolean {
    if (this.expected === undefined || authorization?.slice(0, 7).toLowerCase() !== 'bearer ') return false;
    return timingSafeEqual(digest(authorization.slice(7).trim()), this.expected);
  }
}
