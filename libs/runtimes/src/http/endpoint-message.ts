import { randomUUID } from 'node:crypto';
import { type RunContext, ToolError } from '@countersign/tool-kit';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { Ask } from '../runtime.js';

/** Functions of a tool that an endpoint can have. */
export type EndpointAsk = Extract<Ask, 'compensate' | 'reconcile' | 'verify'> | 'run';

/** A request to an endpoint; `about`: the output to verify, or the effect to undo. */
export interface EndpointRequest {
  type: EndpointAsk;
  /** `name@version`. */
  tool: string;
  input: unknown;
  about?: unknown;
  context: RunContext;
}

const WRITES: ReadonlySet<EndpointAsk> = new Set(['run', 'compensate']);

/** The body of a request: JSON. */
export function requestBody({ type, tool, input, about, context }: EndpointRequest): string {
  const { tenant_id, principal, call_id, case_id, run_id, idempotency_key, deadline_ms } = context;
  const [name, version] = tool.split('@');
  const deadline = new Date(deadline_ms).toISOString();
  const what = {
    type,
    tool: name,
    version,
    inputs: input,
    ...(about === undefined ? {} : { [type === 'verify' ? 'output' : 'effect']: about }),
  };
  return JSON.stringify({
    ...what,
    tenant_id,
    principal: { kind: principal.kind, id: principal.id },
    call_id,
    case_id,
    run_id,
    idempotency_key,
    deadline,
  });
}

/**
 * The headers of a request, signed by Standard Webhooks 1.0.0. A resend of the same effect has the same `webhook-id` and the same
 * `idempotency-key`: the key of the attempt. A question about an effect has an id of its own.
 */
export function signedHeaders(secret: string, { type, context }: EndpointRequest, body: string, now_ms: number): Record<string, string> {
  const id = WRITES.has(type) ? context.idempotency_key : `${type}-${randomUUID()}`;
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'countersign',
    'idempotency-key': context.idempotency_key,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now_ms / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(now_ms), body),
  };
}

/** An error as an endpoint states it. What it promises about the effect counts as that of any tool. */
const refusal = z.object({
  code: z.string().max(100),
  message: z.string().max(2000).default('the endpoint refused the call'),
  class: z.string().max(100).optional(),
  retryable: z.boolean().optional(),
  retry_after_s: z.number().min(0).optional(),
  details: z.unknown().optional(),
  effect: z.enum(['none', 'unknown']).optional(),
});

/** What an endpoint answers: a result, or an error. */
export type EndpointAnswer = { result: unknown } | { error: ToolError };

/** Parses the body of an answer; undefined if it has neither a result nor an error. */
export function answerIn(bytes: Buffer): EndpointAnswer | undefined {
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof body !== 'object' || body === null) return undefined;
  if ('error' in body) {
    const stated = refusal.safeParse(body.error);
    if (!stated.success) return undefined;
    const { code, message, ...more } = stated.data;
    // Unknown codes and classes are replaced where the error is recorded.
    return { error: new ToolError(code as ToolError['code'], message, more as ToolError['more']) };
  }
  return 'result' in body ? { result: body.result } : undefined;
}
