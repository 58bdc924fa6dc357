import { CASE_ID_MAX } from '@countersign/calls';
import { z } from 'zod';

const json = z.record(z.string(), z.json());
const properties = json.default({});
const id = z.string().min(1).max(300);

/** Body of `POST /access/v1/evaluation` (AuthZEN 1.0). */
export const evaluationRequest = z
  .object({
    subject: z
      .object({ type: id, id, properties })
      .describe('the caller: `type` is agent, user or service; `properties.roles` holds its roles'),
    action: z
      .object({ name: id, properties })
      .describe('`name` is the tool, or `call` if the resource id is the tool. `properties.version` and `properties.inputs` are optional'),
    resource: z.object({ type: id, id, properties }).describe('`properties` are the inputs if the action has none'),
    context: properties.describe('the context of the call'),
  })
  .meta({ id: 'AccessEvaluationRequest' });

/** Body of `POST /v1/policies/tools/{tool}/resolve`. Inputs that a call may not have are refused as in a call. */
export const resolveTierRequest = z
  .strictObject({
    inputs: json,
    version: z.string().max(64).optional(),
    case_id: z.string().max(CASE_ID_MAX).nullable().default(null),
    context: properties,
  })
  .meta({ id: 'TierQuestion' });

export const authzenConfiguration = z
  .object({ policy_decision_point: z.string(), access_evaluation_endpoint: z.string() })
  .meta({ id: 'AuthZenConfiguration' });

const names = z.array(z.string());
const note = z.object({ rule: z.string(), why: z.string() });

const explanation = z
  .object({
    bundle_digest: z.string().nullable(),
    matched: names.describe('rules that applied, the winner first'),
    would_have: z.array(note).describe('rules for this tool that did not apply, and why; the first few'),
    errors: z.array(note).describe('rules whose condition could not be evaluated'),
    facts: z.array(z.object({ table: z.string(), version: z.int().describe('0: the table did not exist') })),
    obligations: z.array(
      z.object({
        kind: z.enum(['redact', 'cap', 'tag']),
        rule: z.string(),
        paths: names,
        max: z.number().nullable(),
        tag: z.string().nullable(),
        form: z.enum(['inputs', 'mapped']).nullable(),
      }),
    ),
    inputs_digest: z.string().nullable().describe('digest of the submitted inputs; set only if a cap changed them'),
    waited: names.describe('rules whose deferral has ended'),
    shadow: z.object({ bundle_version: z.string(), effect: z.string(), tier: z.string(), rule: z.string(), matched: names }).nullable(),
    history_json: z.string().nullable().describe('the call history that the rules read, canonical JSON'),
  })
  .meta({ id: 'AccessExplanation' });

const ruling = {
  effect: z.enum(['allow', 'deny', 'require_approval', 'defer']),
  tier: z.enum(['tier_0_safe', 'tier_1_auto', 'tier_2_approval_required', 'tier_3_blocked']),
  approval_mode_effective: z.enum(['read_only', 'network', 'local_write', 'delegated', 'destructive']),
  rule: z.string(),
  bundle_version: z.string().nullable(),
  reason: z
    .object({
      code: z.string(),
      class: z.string(),
      message: z.string(),
      details_json: z.string().nullable(),
      retryable: z.boolean(),
      retry_after_s: z.number().nullable(),
    })
    .meta({ id: 'AccessReason' })
    .nullable(),
  approval: z
    .object({
      approver_roles: names,
      quorum: z.int(),
      parts: z.array(z.object({ rule: z.string(), approver_roles: names, people: names, quorum: z.int() })),
    })
    .nullable()
    .describe('who would have to approve the call; null: no approval is needed'),
  defer: z
    .object({
      until: z.enum(['call_ended', 'time', 'limit_free', 'again']),
      call_ids: names,
      wake_at_ms: z.int().nullable(),
      limit_id: z.string().nullable(),
      timeout_at_ms: z.int(),
      on_timeout: z.enum(['deny', 'require_approval']),
    })
    .nullable()
    .describe('what the call would wait for; null: it would not wait'),
  explanation: explanation.nullable(),
  inputs_digest: z.string().describe('SHA-256 (hex) of the canonical inputs after defaults and caps'),
  mapped: z
    .object({ mapping_version: z.int(), inputs_digest: z.string(), inputs: z.unknown(), warnings: names })
    .nullable()
    .describe('the mapped inputs that would run; null without a mapping'),
};

const accessRuling = z.object(ruling).meta({ id: 'AccessRuling' });
export const tierAnswer = z.object({ tool: z.string(), ...ruling }).meta({ id: 'EffectiveTier' });

const refusal = z
  .object({
    reason: z.object({
      code: z.string().describe('the problem type that the call would be refused with'),
      message: z.string(),
      issues: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).optional(),
    }),
  })
  .meta({ id: 'AccessRefusal' });

export const evaluationAnswer = z
  .object({
    decision: z.boolean().describe('true only if the call would be accepted and run without an approval'),
    context: z.union([accessRuling, refusal]),
  })
  .meta({ id: 'AccessEvaluation' });

export type EvaluationRequest = z.infer<typeof evaluationRequest>;
export type TierRequest = z.infer<typeof resolveTierRequest>;
export type AccessRuling = z.infer<typeof accessRuling>;
export type EvaluationAnswer = z.infer<typeof evaluationAnswer>;
