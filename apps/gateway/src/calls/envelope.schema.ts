import { deduplicatedBecause, effectNow, statuses } from '@countersign/calls';
import { errorCodes } from '@countersign/contracts';
import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';

const text = z.string().nullable();
const tier = z.enum(['tier_0_safe', 'tier_1_auto', 'tier_2_approval_required', 'tier_3_blocked']);
const name = z.object({ kind: z.string(), id: z.string() });
const note = z.object({ rule: z.string(), why: z.string() });

export const callError = z
  .object({
    code: z.enum(errorCodes),
    class: z.enum(['transient', 'rate_limited', 'validation', 'authorization', 'semantic', 'not_found', 'server']),
    message: z.string(),
    retryable: z.boolean(),
    retry_after_s: z.number().nullable(),
    details: z.unknown(),
  })
  .meta({ id: 'CallError' });

export const obligation = z.object({
  kind: z.enum(['redact', 'cap', 'tag']),
  rule: z.string(),
  paths: z.array(z.string()),
  max: z.number().nullable(),
  tag: text,
  form: text,
});

const explanation = {
  bundle_digest: text,
  rules_matched: z.array(z.string()),
  rules_would_have: z.array(note),
  rule_errors: z.array(note),
  facts: z.array(z.object({ table: z.string(), version: z.int() })),
  history: z.unknown().describe('the call history that the rules read'),
  tags: z.array(z.string()),
  obligations: z.array(obligation),
  shadow: z
    .object({ bundle_version: z.string(), effect: z.string(), tier: z.string(), rule: z.string(), matched: z.array(z.string()) })
    .nullable(),
};

const deferral = z.object({
  until: z.enum(['call_ended', 'time', 'limit_free', 'again']),
  call_ids: z.array(z.string()),
  limit_id: text,
  on_timeout: z.enum(['deny', 'require_approval']),
  wake_at: timeOf.nullable(),
  timeout_at: timeOf.nullable(),
});

export const callDecision = z
  .object({
    decision_id: z.string(),
    revision: z.int(),
    effect: z.enum(['allow', 'deny', 'require_approval', 'defer']),
    tier: tier.nullable(),
    approval_mode_effective: text,
    rule: text,
    bundle_version: text,
    inputs_digest: text,
    ...z.object(explanation).partial().shape,
    defer: deferral.optional(),
  })
  .meta({ id: 'CallDecision', description: 'the newest decision, with its explanation if one was recorded' });

export const callApproval = z
  .object({
    approval_id: z.string(),
    link: z.string(),
    status: z.string().describe('pending, or its final status'),
    requested_at: timeOf.nullable(),
    expires_at: timeOf.nullable(),
    quorum: z.int().nullable(),
    approver_roles: z.array(z.string()),
    decided_by: text,
    decided_at: timeOf.nullable(),
    reason: text,
  })
  .meta({ id: 'CallApproval' });

export const callMapping = z
  .object({
    version: z.int(),
    inputs_digest: z.string().describe('of `mapped_input`'),
    changes: z
      .array(z.object({ op: z.string(), path: z.string(), value: z.unknown().optional() }))
      .describe('JSON Patch (RFC 6902) from `input` to `mapped_input`'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'CallMapping' });

const validation = z.object({ layer: z.string(), issues: z.array(z.unknown()) }).nullable();
const provenance = z.object({ source: z.string(), freshness: timeOf.nullable(), confidence: z.number().nullable() }).nullable();

const sagaStep = z.object({ saga_id: z.string(), step_id: z.string(), level: z.int(), attempt: z.int() }).meta({ id: 'SagaStepOfCall' });

/** The envelope of a call (libs/calls, envelopeText). */
export const callEnvelope = z
  .object({
    call_id: z.string(),
    idempotency_key: text,
    tool: text.describe('name of the tool'),
    name: text.describe('the same as `tool`'),
    version: text,
    tenant_id: z.string(),
    case_id: text,
    run_id: text,
    external_id: text.describe('the reference that the caller set'),
    metadata: z.record(z.string(), z.string()),
    status: z.enum(statuses),
    error: callError.nullable(),
    decision: callDecision.nullable(),
    approval: callApproval.nullable(),
    requested_at: timeOf.nullable(),
    started_at: timeOf.nullable().describe('for a call that never ran: the time of the request'),
    ended_at: timeOf.nullable(),
    t_start: timeOf.nullable().describe('the same as `started_at`'),
    t_end: timeOf.nullable().describe('the same as `ended_at`'),
    duration_ms: z.number().nullable(),
    attempts: z.int(),
    retry_count: z.int(),
    effect: z
      .enum(['none', 'happened', 'unknown'])
      .nullable()
      .describe('whether the effect of an ended call happened; also for one that ended without an effect and had one after all'),
    cached: z.boolean(),
    deduplicated: z.boolean().describe('true: the tool did not run for this request. See docs/reference/what-counts-as-the-same-call.md'),
    deduplicated_because: z.enum(deduplicatedBecause).nullable().describe('null also for records older than this field'),
    original_call_id: text,
    effect_now: z
      .enum(effectNow)
      .nullable()
      .describe(
        'whether the effect of an ended write is still in place. Set in responses to repeats and in GET /v1/calls/{call_id}; null elsewhere and without an effect',
      ),
    superseded_by: text,
    truncated: z.boolean(),
    attachments: z.array(z.object({ kind: z.string(), url: z.string(), content_type: z.string(), bytes: z.int() })),
    warnings: z.array(z.string()),
    validation,
    exceptions: z.array(z.unknown()),
    provenance,
    citations: z.array(z.unknown()),
    mutations: z.array(z.unknown()),
    verified: z.boolean().nullable(),
    principal: name.nullable(),
    on_behalf_of: name.nullable(),
    agent_token_ref: text,
    delegated_user_token_ref: text,
    purpose: text,
    sources: z.array(z.string()),
    markings: z.array(z.string()),
    withheld: z.array(z.string()).optional().describe('markings that the reader lacks; inputs and results are withheld'),
    credentials: z.array(z.object({ name: z.string(), scope: z.string(), version: z.int() })),
    trace_id: z.string(),
    cost: z.number().nullable(),
    mapping_version: z.int().nullable(),
    saga: sagaStep.nullable().describe('the step of a saga that made the call; null: no saga did'),
    tool_fallback_level: z.int().describe('0: the first tool of its step, or no step of a saga'),
    compensates: z.string().nullable().describe('the call whose effect this one undoes'),
    compensated_by: z.string().nullable().describe('the call that undid its effect, or tried to'),
    mapping: callMapping.optional().describe('absent without a mapping'),
    inputs: z.unknown().describe('the inputs as sent, or as edited by an approver'),
    input: z.unknown().describe('the same as `inputs`'),
    mapped_input: z.unknown().optional().describe("`input` after the tenant's mapping: the inputs that run; absent without a mapping"),
    output: z.unknown(),
  })
  .meta({ id: 'Envelope' });
