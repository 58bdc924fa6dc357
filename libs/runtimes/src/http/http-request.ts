import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { exchange, toolDoor } from './exchange.js';
import { faultOfStatus, httpResponse, toHttpResponse } from './http-response.js';
import { requestHeaders, sentHeaders } from './request-headers.js';

const BYTES_MAX = 10 * 1024 * 1024;

/** Reads a URL. Requests with an effect use `http_send`. */
export const httpRequest = defineTool({
  name: 'http_request',
  version: '1.0.0',
  title: 'Read a URL',
  description:
    'Reads a public web address with GET (or HEAD) and gives its status, content type and body: JSON as JSON, text as text, anything else as an attachment. Follows up to five redirects. Addresses of private networks are refused.',
  category: 'api',
  effect_class: 'read_external',
  protocol: 'http',
  network: ['*'],
  capabilities: ['http', 'web'],
  timeout_ms: 30_000,
  max_output_bytes: 2 * 1024 * 1024,
  input: z.strictObject({
    url: z.string().min(1).max(4000),
    method: z.enum(['GET', 'HEAD']).default('GET'),
    headers: requestHeaders,
    max_bytes: z.int().min(1).max(BYTES_MAX).default(BYTES_MAX).describe('the rest of a longer body is not read'),
  }),
  output: httpResponse,
  run: async ({ url, method, headers, max_bytes }, ctx) => {
    const door = toolDoor(ctx.settings);
    const sent = { method, url, headers: sentHeaders(headers), body: undefined, redirects_max: 5, bytes_max: max_bytes };
    const received = await exchange(sent, door, ctx.signal);
    const fault = faultOfStatus(received, false);
    if (fault) throw fault;
    return toHttpResponse(received, ctx);
  },
});
