import { randomUUID } from 'node:crypto';
import { attemptKey } from '@countersign/contracts';
import { PatternPool } from './pattern-search/pattern-pool.js';
import { TenantFolders } from './tenant-folders/tenant-folders.js';
import type { Compensates, RunContext, Tool } from './tool.js';
import { ToolError } from './tool-error.js';

/** Shared by all contexts of a process; its threads end soon after their last search. */
const patterns = new PatternPool({ idle_ms: 500 });

/**
 * A run's context for specs: an agent of tenant `test` in case `case-1`, 30 s left, a fresh idempotency key, no settings. A folder
 * setting has a folder for each tenant, as in an executor: `<setting>/test` is that of `test`.
 */
export function testContext(overrides: Partial<RunContext> = {}): RunContext {
  return {
    tenant_id: 'test',
    // Uses `this`, so that a copy of a context for another tenant gets that tenant's folder.
    async tenantFolder(variable) {
      return foldersIn(this.settings, variable).of(this.tenant_id);
    },
    async commonFolder(variable) {
      return foldersIn(this.settings, variable).common();
    },
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
        throw new ToolError('AUTH_REQUIRED', `the secret ${name} is not set`, { effect: 'none' });
      },
    },
    patterns,
    log: () => undefined,
    progress: () => undefined,
    attach: async ({ kind, content_type, data }) => ({ kind, content_type, bytes: Buffer.byteLength(data), url: `test:${randomUUID()}` }),
    ...overrides,
  };
}

/** The context of a later attempt at the same effect, with its own key. */
export function laterAttempt(ctx: RunContext, attempt = 2): RunContext {
  return { ...ctx, idempotency_key: attemptKey(ctx.idempotency_key, attempt) };
}

function foldersIn(settings: Readonly<Record<string, string>>, variable: string): TenantFolders {
  const root = settings[variable];
  if (!root) throw new ToolError('PROVIDER_ERROR', `${variable} is not set`, { effect: 'none' });
  return new TenantFolders({ variable, root }, () => []);
}

/** The input of `compensate` for that run. */
export function effectOf(tool: Tool, inputs: unknown, output: unknown, ran: RunContext): Compensates<never, never> {
  const { call_id, idempotency_key } = ran;
  return { call_id, idempotency_key, inputs: inputs as never, output: output as never, version: tool.contract.version };
}
