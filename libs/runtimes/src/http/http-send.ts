import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { exchange, toolDoor } from './exchange.js';
import { faultOfStatus, httpResponse, toHttpResponse } from './http-response.js';
import { requestHeaders, sentHeaders } from './request-headers.js';

const BODY_MAX = 1024 * 1024;
const BYTES_MAX = 5 * 1024 * 1024;

/**
 * Sends a request with a body to a URL. Its effect is unknown: it needs an approval, and after a lost response the call is in doubt. The
 * attempt's key is sent along, but no server is trusted to honour it. It declares no resources: its address does not tell what a request
 * changes at the server, and one thing has many addresses. So a result belongs only to its own request.
 */
export const httpSend = defineTool({
  name: 'http_send',
  version: '1.0.1',
  title: 'Send to a URL',
  description:
    'Sends a body to a public web address with POST, PUT, PATCH or DELETE and gives the answer. Changes something at the other side, so a person approves it first. To read, use http_request.',
  summary: '{/method} {/url} with {/body}',
  category: 'api',
  effect_class: 'commit_high',
  reversibility: 'irreversible',
  protocol: 'http',
  network: ['*'],
  capabilities: ['http', 'web'],
  idempotency: { discriminating: ['method', 'url', 'body'] },
  timeout_ms: 30_000,
  max_output_bytes: 2 * 1024 * 1024,
  input: z.strictObject({
    url: z.string().min(1).max(4000),
    method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
    headers: requestHeaders,
    body: z
      .union([z.string().max(BODY_MAX), z.record(z.string(), z.json()), z.array(z.json())])
      .optional()
      .describe('text, or JSON'),
  }),
  output: httpResponse,
  run: async ({ url, method, headers, body }, ctx) => {
    const door = toolDoor(ctx.settings);
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const typed: Record<string, string> = text !== undefined && typeof body !== 'string' ? { 'content-type': 'application/json' } : {};
    const all = { ...typed, ...sentHeaders(headers, { 'idempotency-key': ctx.idempotency_key }) };
    // A redirect is a result: sending the body to another address was not approved.
    const received = await exchange({ method, url, headers: all, body: text, redirects_max: 0, bytes_max: BYTES_MAX }, door, ctx.signal);
    const fault = faultOfStatus(received, true);
    if (fault) throw fault;
    return toHttpResponse(received, ctx);
  },
});
