import { pointer as pointerText, Refusal } from '@countersign/calls';
import { DAY_MS } from '@countersign/domain';
import { z } from 'zod';
import { approvalRequirement } from '../requests/approval-requirement.js';
import { HALF_CHARACTER, isWellFormed, placedIssues, refuseHalfCharacters } from './bundle-issues.js';

const RULES_MAX = 2000;
const TEXT_MAX = 4096;
const names = z.array(z.string().min(1).max(200)).min(1).max(200);
const pointer = z
  .string()
  .max(500)
  .regex(/^(\/[^/]*)+$/, 'a JSON Pointer');

const selector = z.strictObject({
  names: names.optional().describe('exact names, or globs with *'),
  categories: names.optional(),
  effect_classes: z
    .array(z.enum(['pure', 'read_internal', 'read_external', 'stage', 'commit_low', 'commit_high']))
    .min(1)
    .optional(),
  markings: names.optional(),
  upstream: z.string().min(1).max(16).optional().describe('the tools of this upstream'),
});

const tools = z
  .union([z.string().min(1).max(200), names, selector])
  .default({})
  .transform((written) => (typeof written === 'string' ? { names: [written] } : Array.isArray(written) ? { names: written } : written));

const obligation = z.union([
  z.strictObject({ redact: z.array(pointer).min(1).max(50) }),
  z.strictObject({
    cap: z
      .strictObject({
        path: pointer,
        max: z.number(),
        otherwise: z.enum(['lower', 'refuse']).default('refuse'),
        form: z
          .enum(['inputs', 'mapped'])
          .optional()
          .describe('`inputs` (default): the inputs as sent; `mapped`: the inputs after the mapping'),
      })
      .refine(({ form, otherwise }) => form !== 'mapped' || otherwise === 'refuse', {
        path: ['otherwise'],
        message: 'a cap with form `mapped` must have otherwise `refuse`: use refuse, or cap the input field that the mapping reads',
      }),
  }),
  z.strictObject({ tag: z.string().min(1).max(100) }),
]);

const rule = z
  .strictObject({
    id: z.string().regex(/^[\w.:/-]{1,200}$/, 'has 1 to 200 letters, digits and . : / _ -'),
    description: z.string().max(1000).optional(),
    tools,
    when: z.string().max(TEXT_MAX).optional().describe('CEL: inputs, mapped, context, principal, tool, facts, history, trust, now'),
    effect: z.enum(['allow', 'require_approval', 'deny', 'defer']),
    approval: approvalRequirement.optional(),
    overrides: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(200)
      .optional()
      .describe('with the effect allow: rules with require_approval, or `tool.<name>` rows, that this rule overrides'),
    defer: z
      .strictObject({
        until: z.string().min(1).max(TEXT_MAX).describe('a CEL condition, or `call <call_id> ended`'),
        timeout_ms: z
          .int()
          .min(100)
          .max(30 * DAY_MS),
        on_timeout: z.enum(['deny', 'require_approval']).default('deny'),
      })
      .optional(),
    obligations: z.array(obligation).max(20).optional(),
    at_execution: z
      .enum(['refuse', 'ask'])
      .optional()
      .describe('what happens to a call that was allowed before this rule existed: refuse (default), or ask for approval'),
    compensations: z
      .literal(true)
      .optional()
      .describe('true: the rule applies only to calls that undo an effect; absent: only to other calls'),
    expires_at_ms: z.int().min(0).optional(),
  })
  .refine(
    ({ effect, defer }) => (effect === 'defer') === (defer !== undefined),
    '`defer` is required with the effect defer and not allowed with other effects',
  )
  .refine(
    ({ effect, approval }) => approval === undefined || effect === 'require_approval',
    '`approval` is allowed only with the effect require_approval',
  )
  .refine(({ effect, overrides }) => overrides === undefined || effect === 'allow', '`overrides` is allowed only with the effect allow')
  .meta({ id: 'PolicyRule' });

const parts = {
  description: z.string().max(2000).refine(isWellFormed, HALF_CHARACTER).optional(),
  dangerous: z.enum(['require_approval', 'deny', 'off']).optional().describe('effect of the built-in detector of dangerous operations'),
  rules: z.array(rule).max(RULES_MAX).superRefine(refuseHalfCharacters),
};

/** A bundle as written by its author; parses to `PolicyBundle`. */
export const draftBundle = z.strictObject(parts).meta({ id: 'PolicyDraft' });

const version = z.string().regex(/^[\w.-]{1,64}$/, 'has 1 to 64 letters, digits and . _ -');

/** `POST /v1/policies`. */
export const publishRequest = z
  .strictObject({
    version: version.optional().describe('absent: the next number is used'),
    ...parts,
    simulation: z
      .strictObject({ digest: z.string().regex(/^[0-9a-f]{64}$/), proof: z.string().max(1000) })
      .optional()
      .describe('`simulation` from the report for exactly these rules'),
  })
  .meta({ id: 'PolicyToPublish' });

/** `PUT /v1/policies/active`. */
export const activateRequest = z
  .strictObject({
    version: version.nullable().describe('null: only the built-in rules and default tiers'),
    shadow: version.nullable().optional().describe('evaluated alongside: recorded, never enforced; absent: unchanged'),
  })
  .meta({ id: 'PolicyActivation' });

/** `PUT /v1/policies/settings`. */
export const policySettings = z
  .strictObject({
    simulation_required: z.boolean(),
    single_policy_admin: z
      .boolean()
      .optional()
      .describe('true: the tenant has one policy admin, who may activate mappings that they published; absent: unchanged'),
  })
  .meta({ id: 'PolicySettingsChange' });

export type PublishRequest = z.infer<typeof publishRequest>;
export type ActivateRequest = z.infer<typeof activateRequest>;
export type PolicySettings = z.infer<typeof policySettings>;

export const RESERVED_VERSIONS: ReadonlySet<string> = new Set(['active', 'tools', 'settings']);

const ISSUES_MAX = 50;

/** Parses a body that contains a bundle; every fault names its rule. */
export function parseBundle<T>(schema: z.ZodType<T>, body: unknown): T | Refusal {
  const parsed = schema.safeParse(body);
  return parsed.success ? parsed.data : bundleRefusal(parsed.error.issues, body);
}

/** The faults of a body that contains a bundle, each with its rule. */
export function bundleRefusal(found: readonly z.core.$ZodIssue[], body: unknown): Refusal {
  const issues = placedIssues(found)
    .slice(0, ISSUES_MAX)
    .map(({ path, code, message }) => ({ path: pointerText(path), code, message, rule: ruleAt(body, path), reason: message }));
  const [first] = issues;
  return new Refusal('unusable-policy', first ? `${first.path || 'the body'}: ${first.message}` : 'the policy is not valid', { issues });
}

function ruleAt(body: unknown, path: readonly PropertyKey[]): string | null {
  const at = path.indexOf('rules');
  const written = body as { rules?: unknown; bundle?: { rules?: unknown } } | null | undefined;
  const rules = written?.rules ?? written?.bundle?.rules;
  const found = at >= 0 && Array.isArray(rules) ? (rules[Number(path[at + 1])] as { id?: unknown } | null | undefined) : undefined;
  return typeof found?.id === 'string' ? found.id : null;
}
