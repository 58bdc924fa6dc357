import type { IncomingHttpHeaders } from 'node:http';
import type { SealedSecrets } from '@countersign/process';
import type { z } from 'zod';
import { type BrowserPlace, LOOPBACK_COOKIE } from './browser-place.js';

/** Browsers accept a cookie of at most 4,096 bytes, its attributes included. */
export const COOKIE_TEXT_MAX = 3_800;

/** The values of the cookies of a request with this name, in the order of the header. */
export function cookiesNamed({ cookie = '' }: Pick<IncomingHttpHeaders, 'cookie'>, name: string): string[] {
  const found: string[] = [];
  for (const pair of cookie.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) found.push(pair.slice(at + 1).trim());
  }
  return found;
}

/** The `Set-Cookie` header. `max_age_s` 0 removes the cookie. */
export function setCookie(name: string, value: string, max_age_s: number): string {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${max_age_s}${secure}`;
}

/** Removes the session cookie of a place. */
export const clearedCookie = ({ cookie }: BrowserPlace): string => setCookie(cookie, '', 0);

/** The cookie of a place for another purpose than the session. */
export const cookieFor = ({ cookie }: BrowserPlace, purpose: string): string =>
  `${cookie === LOOPBACK_COOKIE ? '' : '__Host-'}countersign-${purpose}`;

/**
 * Seals values of cookies with AES-256-GCM under a key of their tenant, which all gateways derive from the master key. A value is bound
 * to the name of its cookie.
 */
export class SealedCookies<T> {
  constructor(
    private readonly seals: Pick<SealedSecrets, 'seal' | 'open'>,
    private readonly schema: z.ZodType<T>,
    private readonly hasTenant: (tenant_id: string) => boolean,
  ) {}

  seal(name: string, tenant_id: string, value: T): string {
    return `${Buffer.from(tenant_id).toString('base64url')}.${this.seals.seal(tenant_id, name, JSON.stringify(value))}`;
  }

  /** Undefined if the text was not sealed for this cookie by this installation, or was altered, or its tenant does not exist. */
  open(name: string, text: string): { tenant_id: string; value: T } | undefined {
    const [tenant = '', sealed = '', ...rest] = text.length > COOKIE_TEXT_MAX ? [] : text.split('.');
    const tenant_id = Buffer.from(tenant, 'base64url').toString();
    if (rest.length > 0 || !this.hasTenant(tenant_id)) return undefined;
    const json = this.seals.open(tenant_id, name, sealed);
    const parsed = json === undefined ? undefined : this.schema.safeParse(JSON.parse(json));
    return parsed?.success ? { tenant_id, value: parsed.data } : undefined;
  }
}
