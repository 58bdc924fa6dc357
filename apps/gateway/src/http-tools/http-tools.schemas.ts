import { z } from 'zod';
import { everywhere, timeOf } from '../answers/shared-schemas.js';

const names = (max: number, length: number) => z.array(z.string().min(1).max(length)).max(max);
const jsonSchema = z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12');
const effect = z.enum(['replaces', 'adds']);
const ms = z.int().min(1);

const resource = z.strictObject({
  name: z.string().min(1).max(500).describe('a template over the inputs: `invoice:{/invoice_id}`'),
  effect: z.union([effect, z.strictObject({ by: z.string().max(200), values: z.record(z.string(), effect), otherwise: effect })]),
});

/** Body of `POST /v1/tools`: the contract of one version, and its endpoint. Absent members have the defaults of `defineTool`. */
export const httpToolRequest = z.strictObject({
  name: z.string().min(1).max(64),
  version: z.string().min(1).max(64).describe('exact semver'),
  title: z.string().min(1).max(200),
  description: z.string().min(1).max(4000).describe('for models: when to use the tool and what it does'),
  category: z.string().min(1).max(100),
  summary: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('what a call does, in one sentence for approvers: `Pay {/amount} to {/supplier}`; `{bytes of /content}` is a measure'),
  endpoint: z.string().min(1).max(2000).describe('https URL that gets a signed POST for each run'),
  input_schema: jsonSchema,
  output_schema: jsonSchema,
  effect_class: z.enum(['pure', 'read_internal', 'read_external', 'stage', 'commit_low', 'commit_high']),
  functions: z
    .array(z.enum(['reconcile', 'compensate', 'verify']))
    .max(3)
    .default([])
    .describe('what the endpoint can do besides run'),
  reversibility: z.enum(['reversible', 'semantic', 'side_effects', 'irreversible']).optional(),
  idempotency: z
    .union([
      z.strictObject({ discriminating: names(100, 200), window_ms: ms.optional() }),
      z.strictObject({ except: names(100, 200), window_ms: ms.optional() }),
    ])
    .optional()
    .describe('the inputs that identify the effect of a write'),
  resources: z.array(resource).max(20).optional(),
  takes_key: z.boolean().optional().describe('the endpoint honours the Idempotency-Key, so a write may be sent again after a lost answer'),
  timeout_ms: ms.max(300_000).optional(),
  settle_ms: ms.optional(),
  settle_is_final: z.boolean().optional(),
  undo_within_ms: ms.optional(),
  max_output_bytes: ms.max(4 * 1024 * 1024).optional(),
  tier: z.enum(['tier_0_safe', 'tier_1_auto', 'tier_2_approval_required', 'tier_3_blocked']).optional(),
  markings: names(50, 100).optional(),
  scopes: names(50, 100).optional(),
  capabilities: names(50, 64).optional(),
  purposes: names(50, 64).optional(),
  cache: z.strictObject({ kind: z.enum(['none', 'ttl', 'forever']), ttl_ms: ms.optional() }).optional(),
  cost_per_call: z.number().min(0).optional(),
  provider: z.string().min(1).max(100).optional(),
  needs_evaluation: z.boolean().default(false).describe('true: the version runs only after an evaluation of its contract has passed'),
  rotate_secret: z.boolean().default(false).describe('true: an existing version gets a new signing secret'),
});

/** Answer of `POST /v1/tools`. */
export const registeredHttpTool = z
  .object({
    name: z.string(),
    version: z.string(),
    digest: z.string(),
    endpoint: z.string(),
    lifecycle: z
      .enum(['active', 'deprecated', 'blocked', 'candidate', 'suspended'])
      .nullable()
      .describe('null: no executor has announced the contract yet'),
    signing_secret: z
      .string()
      .nullable()
      .describe('verifies the signatures (Standard Webhooks); shown only when it is new, then stored encrypted'),
    changed_at: timeOf,
    ...everywhere,
  })
  .meta({ id: 'RegisteredHttpTool' });

export type HttpToolRequest = z.infer<typeof httpToolRequest>;
export type RegisteredHttpTool = z.infer<typeof registeredHttpTool>;
