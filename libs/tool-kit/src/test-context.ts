import { randomUUID } from 'node:crypto';
import { attemptKey } from '@countersign/contracts';
import { type RunContext, ToolError } from './tool.js';

/** A run's context for specs: an agent of tenant `test` in case `case-1`, 30 s left, a fresh idempotency key, no settings. */
export function testContext(overrides: Partial<RunContext> = {}): RunContext {
  return {
    tenant_id: 'test',
    principal: { kind: 'agent', id: 'agent-1' },
    clearances: [],
    call_id: `0-${randomUUID()}`,
    case_id: 'case-1',
    run_id: null,
    idempotency_key: randomUUID(),
    deadline_ms: Date.now() + 30_000,
    signal: new AbortController().signal,
    settings: {},
    secrets: {
      get: async (name) => {
        throw new ToolError('AUTH_REQUIRED', `there is no secret ${name}`, { effect: 'none' });
      },
    },
    log: () => undefined,
    progress: () => undefined,
    attach: async ({ kind, content_type, data }) => ({ kind, content_type, bytes: Buffer.byteLength(data), url: `test:${randomUUID()}` }),
    ...overrides,
  };
}

/** The context of a later attempt at the same effect, which has a key of its own. */
export function laterAttempt(ctx: RunContext, attempt = 2): RunContext {
  return { ...ctx, idempotency_key: attemptKey(ctx.idempotency_key, attempt) };
}
