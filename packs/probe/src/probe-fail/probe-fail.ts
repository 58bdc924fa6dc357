import { defineTool, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';
import { payment } from '../payment.js';

const codes = [
  'VALIDATION_ERROR',
  'TIMEOUT',
  'RATE_LIMIT',
  'POLICY_DENIED',
  'AUTH_REQUIRED',
  'PROVIDER_ERROR',
  'NETWORK_ERROR',
  'SANDBOX_ERROR',
  'CANCELLED',
  'UNKNOWN',
] as const;

/** Always fails, and reports what is known of its effect. */
export const probeFail = defineTool({
  name: 'probe_fail',
  version: '1.0.0',
  title: 'Fail',
  description: 'For tests: fails with the asked code, promising that nothing happened (effect none) or not (effect unknown).',
  category: 'probe',
  effect_class: 'commit_low',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['effect', 'code', 'account', 'amount', 'note'] },
  timeout_ms: 10_000,
  input: payment.partial().extend({ effect: z.enum(['none', 'unknown']), code: z.enum(codes).default('PROVIDER_ERROR') }),
  output: z.strictObject({ ok: z.boolean() }),
  run: async ({ effect, code }) => {
    throw new ToolError(code, `failed as asked (effect ${effect})`, { effect });
  },
});
