import { hostFault } from './outbound-address.js';
import { outboundRequest } from './outbound-request.js';

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 1_048_576;

export interface GuardedRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

export interface GuardedAnswer {
  status: number;
  text: string;
}

/** Why this address may not be asked, or undefined. Plain http is for private networks only. */
export function addressFault(text: string, allow_private: boolean): string | undefined {
  if (!URL.canParse(text)) return 'it is not a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allow_private && url.protocol === 'http:')) return 'only https is asked';
  if (url.username !== '' || url.password !== '') return 'credentials in a URL are not taken';
  return hostFault(url.hostname, allow_private);
}

/**
 * Asks a server that a tenant's admin named: redirects are not followed, private addresses not reached (unless allowed) and
 * metadata services never, at most 1 MB within 5 s. @throws Error where there is no answer.
 */
export function guardedFetch(text: string, request: GuardedRequest, allow_private: boolean): Promise<GuardedAnswer> {
  const fault = addressFault(text, allow_private);
  if (fault !== undefined) return Promise.reject(new Error(fault));
  const url = new URL(text);
  const { method = 'GET', headers = {}, body } = request;
  return new Promise((done, failed) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = {
      method,
      headers: { ...headers, ...length },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    const sent = outboundRequest(url, options, { allow_private }, (answer) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > BYTES_MAX) sent.destroy(new Error('the answer is too large'));
        else parts.push(part);
      });
      answer.on('end', () => done({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      answer.on('error', failed);
    });
    sent.on('error', failed);
    sent.end(body);
  });
}
