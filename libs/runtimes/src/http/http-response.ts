import type { OutboundAnswer } from '@countersign/outbound';
import { type RunContext, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';

/** A response of an HTTP server in one shape, whatever its content type. */
export const httpResponse = z.strictObject({
  url: z.string().describe('where the answer came from, after redirects'),
  status: z.int().min(100).max(599),
  ok: z.boolean().describe('the status is 2xx'),
  content_type: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  json: z.json().describe('the body, where it is JSON'),
  text: z.string().nullable().describe('the body, where it is text'),
  attachment: z.string().nullable().describe('where the body is kept, where it is neither'),
  preview: z.string().describe('the first 300 characters, or what it is'),
  bytes: z.int(),
  truncated: z.boolean().describe('the body was longer than max_bytes'),
  redirects: z.array(z.string()),
});
export type HttpResponse = z.output<typeof httpResponse>;

/** Headers that describe the content; the others are omitted. */
const SHOWN = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'content-encoding',
]);
const PREVIEW = 300;

const isJson = (type: string): boolean => /^application\/(.+\+)?json\b/.test(type);
const isText = (type: string): boolean => /^(text\/|application\/(.+\+)?(xml|javascript|x-ndjson|x-www-form-urlencoded|yaml)\b)/.test(type);

/** @throws ToolError if its bytes cannot be stored */
export async function toHttpResponse(
  { url, status, headers, bytes, cut, redirects }: OutboundAnswer,
  ctx: RunContext,
): Promise<HttpResponse> {
  const content_type = headers['content-type'] ?? null;
  const type = content_type?.toLowerCase() ?? '';
  const encoded = headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity';
  const httpAnswer: HttpResponse = {
    url,
    status,
    ok: status >= 200 && status < 300,
    content_type,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => SHOWN.has(name))),
    json: null,
    text: null,
    attachment: null,
    preview: '',
    bytes: bytes.length,
    truncated: cut,
    redirects,
  };
  if (bytes.length === 0) return httpAnswer;
  if (!encoded && (isJson(type) || isText(type))) {
    const text = new TextDecoder('utf-8').decode(bytes);
    const json = isJson(type) && !cut ? parsed(text) : undefined;
    return { ...httpAnswer, ...(json === undefined ? { text } : { json }), preview: text.slice(0, PREVIEW) };
  }
  const kept = await ctx.attach({
    kind: type.startsWith('image/') ? 'image' : 'blob',
    content_type: type || 'application/octet-stream',
    data: bytes,
  });
  return { ...httpAnswer, attachment: kept.url, preview: `${bytes.length} bytes of ${content_type ?? 'unknown type'}` };
}

function parsed(text: string): HttpResponse['json'] | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error for a status that is no result: retry later, or the server failed. Undefined: the status is a result. */
export function faultOfStatus({ status, headers, bytes }: OutboundAnswer, writes: boolean): ToolError | undefined {
  const details = { status, preview: bytes.subarray(0, PREVIEW).toString() };
  const retry_after_s = retryAfter(headers['retry-after']);
  const wait = retry_after_s === undefined ? {} : { retry_after_s };
  if (status === 429) return new ToolError('RATE_LIMIT', 'the server asks to retry later', { ...wait, details, effect: 'none' });
  if (status === 408) return new ToolError('TIMEOUT', 'the server timed out while it received the request', { details });
  if (status === 503)
    return new ToolError('PROVIDER_ERROR', 'the server is not available', { ...wait, details, class: 'transient', retryable: true });
  if (status >= 500)
    return new ToolError('PROVIDER_ERROR', `the server responded with status ${status}`, {
      details,
      class: 'server',
      retryable: status === 502 || status === 504,
    });
  if (!writes || status < 400) return undefined;
  const authorization = status === 401 || status === 403;
  return new ToolError(authorization ? 'AUTH_REQUIRED' : 'VALIDATION_ERROR', `the server rejected the request with status ${status}`, {
    details,
    class: authorization ? 'authorization' : status === 404 || status === 410 ? 'not_found' : 'semantic',
    effect: 'none',
  });
}

/** Parses seconds or a date. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const at_ms = Date.parse(header);
  return Number.isNaN(at_ms) ? undefined : Math.max(0, (at_ms - Date.now()) / 1000);
}
