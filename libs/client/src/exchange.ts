import type { CallEnvelope, Problem } from './wire.js';

/** The outcome of one request to the gateway. `unreachable`: no response, so it is unknown whether it arrived. */
export type CallResult =
  | { kind: 'answered'; envelope: CallEnvelope }
  | { kind: 'refused'; problem: Problem }
  | { kind: 'unreachable'; cause: unknown };

/** The URL of a path below the gateway's base URL, which may have a path itself: `https://host/base/`. */
export function addressOf(base: URL, path: string): URL {
  return new URL(`${base.pathname.replace(/\/+$/, '')}${path}`, base);
}

/** @throws TypeError for an address to which no request can be sent */
export function gatewayAddress(url: string): URL {
  const address = new URL(url);
  if (!/^https?:$/.test(address.protocol)) throw new TypeError(`url ${url}: must begin with http:// or https://`);
  if (address.username !== '' || address.password !== '') throw new TypeError('url contains a user or password: pass the key as `key`');
  if (address.search !== '' || address.hash !== '') throw new TypeError(`url ${url}: must not contain ? or #`);
  return address;
}

/** Reads a response. Its body may come from another server, for example a page of a proxy. */
export async function readAnswer(response: Response): Promise<CallResult> {
  if (isRedirect(response)) return redirected(response);
  const body = parsed(await response.text());
  if (!response.ok) return { kind: 'refused', problem: problemOf(response, body) };
  if (typeof body.status === 'string') return { kind: 'answered', envelope: body as unknown as CallEnvelope };
  return {
    kind: 'unreachable',
    cause: new Error(`HTTP ${response.status}, but the body is not a call: the url does not point to the gateway`),
  };
}

/** Redirects are not followed: the key, and the inputs of the call, would go to any address in the response. */
async function redirected(response: Response): Promise<CallResult> {
  await response.body?.cancel();
  const target = response.headers.get('location') ?? 'another address';
  const detail = `The server redirects to ${target}, and this client follows no redirects. Use the address of the gateway itself as url.`;
  return { kind: 'refused', problem: { type: 'about:blank', title: 'Redirect', status: response.status, detail, code: 'UNKNOWN' } };
}

/** The problem of a refusal, also of a proxy, and of a redirect. */
export async function problemOfResponse(response: Response): Promise<Problem> {
  const result = await readAnswer(response);
  return result.kind === 'refused' ? result.problem : problemOf(response, {});
}

function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

function problemOf(response: Response, body: Record<string, unknown>): Problem {
  const { status } = response;
  const blank = { type: 'about:blank', title: response.statusText || `HTTP ${status}`, code: 'UNKNOWN' as const };
  const { retry_after_s: retry_after, ...fields } = body;
  const retry_after_s =
    retryAfter(response.headers.get('retry-after')) ?? (typeof retry_after === 'number' && retry_after >= 0 ? retry_after : undefined);
  return { ...blank, ...fields, status, ...(retry_after_s === undefined ? {} : { retry_after_s }) };
}

/** Seconds from now; the header contains seconds or a date (RFC 9110). */
function retryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text);
  const date_ms = Date.parse(text);
  return Number.isNaN(date_ms) ? undefined : Math.max(0, Math.ceil((date_ms - Date.now()) / 1000));
}

/** The fields of a JSON object; empty for anything else. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
