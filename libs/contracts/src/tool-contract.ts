import { canonicalText } from './canonical-text.js';
import type { ApprovalMode, EffectClass, LifecycleState, Reversibility, Tier } from './generated/events.js';
import { sha256Hex } from './sha256-hex.js';
import type { ToolRecord } from './tool-record.js';

/** JSON Schema 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** `replaces`: the earlier state of the resource no longer counts. `adds`: additions of earlier writes stay. */
export type ResourceEffect = 'replaces' | 'adds';

/** One resource of a write, as a template over the inputs that run. */
export interface ResourceTemplate {
  /**
   * For example `file:{/path}` or `git:{/repo}/heads/{/branch}`: the kind (`[a-z][a-z0-9_]*`), a colon, then segments of literal text and
   * inputs (JSON Pointers in braces), separated by `/`. `resourcesOf` describes the resulting name.
   */
  name: string;
  /** Fixed, or selected by the value of one input: `{by: '/mode', values: {append: 'adds'}, otherwise: 'replaces'}`. */
  effect: ResourceEffect | { by: string; values: Record<string, ResourceEffect>; otherwise: ResourceEffect };
}

/** The contract of a tool, announced on `tool-registered`, so that gateway and policy need no tool code. */
export interface ToolContract extends ToolRecord {
  name: string;
  /** Exact semver. */
  version: string;
  title: string;
  /** For models: when to use the tool and what it does. */
  description: string;
  category: string;
  input_schema: JsonSchema;
  output_schema: JsonSchema;
  effect_class: EffectClass;
  reversibility: Reversibility;
  /** The top-level inputs that identify the effect: exactly one of the two lists. `window_ms` defaults to 24 h. */
  idempotency: { discriminating?: string[]; except?: string[]; window_ms?: number };
  /** The resources of a write. Absent: the write cannot name any. Reads have none. */
  resources?: ResourceTemplate[];
  /** The tool's system accepts the idempotency key, so a write may be resent after a lost answer. */
  takes_key: boolean;
  has_reconcile: boolean;
  has_compensate: boolean;
  /** How long after its end an effect can be undone. Absent: without a limit. */
  undo_within_ms?: number;
  timeout_ms: number;
  /** Earliest time of a reconcile after the fire; default 2 × timeout. */
  settle_ms: number;
  /** `settle_ms` is final: an effect that has not happened by then never will. */
  settle_is_final: boolean;
  max_output_bytes: number;
  /** Stricter than the default tier of the effect class, never laxer. */
  tier?: Tier;
  markings: string[];
  scopes: string[];
}

/**
 * The defaults of an effect class. A tool may declare stricter ones; a tenant's policy may lower them, and the ruling then names the rule.
 */
export interface EffectRule {
  side_effects: 'none' | 'reads' | 'writes';
  approval_mode: ApprovalMode;
  tier: Tier;
  mcp: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
}

export const effectRules: Readonly<Record<EffectClass, EffectRule>> = {
  pure: {
    side_effects: 'none',
    approval_mode: 'read_only',
    tier: 'tier_0_safe',
    mcp: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  read_internal: {
    side_effects: 'reads',
    approval_mode: 'read_only',
    tier: 'tier_0_safe',
    mcp: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  read_external: {
    side_effects: 'reads',
    approval_mode: 'network',
    tier: 'tier_1_auto',
    mcp: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  stage: {
    side_effects: 'writes',
    approval_mode: 'local_write',
    tier: 'tier_1_auto',
    mcp: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  commit_low: {
    side_effects: 'writes',
    approval_mode: 'local_write',
    tier: 'tier_1_auto',
    mcp: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  commit_high: {
    side_effects: 'writes',
    approval_mode: 'delegated',
    tier: 'tier_2_approval_required',
    mcp: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
};

const TIERS: readonly Tier[] = ['tier_0_safe', 'tier_1_auto', 'tier_2_approval_required', 'tier_3_blocked'];

/** Strictness rank of a tier, 0 (safe) to 3 (blocked). */
export function strictness(tier: Tier): number {
  return TIERS.indexOf(tier);
}

export function isReadOnly(effectClass: EffectClass): boolean {
  return effectRules[effectClass].side_effects !== 'writes';
}

/** Approval mode of a contract: an irreversible commit_high is destructive. */
export function approvalMode(contract: Pick<ToolContract, 'effect_class' | 'reversibility'>): ApprovalMode {
  if (contract.effect_class === 'commit_high' && contract.reversibility === 'irreversible') return 'destructive';
  return effectRules[contract.effect_class].approval_mode;
}

/** The tier without a policy: that of the effect class, or of the contract if it is stricter. */
export function defaultTier(contract: Pick<ToolContract, 'effect_class' | 'tier'>): Tier {
  const byClass = effectRules[contract.effect_class].tier;
  return contract.tier && strictness(contract.tier) > strictness(byClass) ? contract.tier : byClass;
}

/**
 * The state of a version for a tenant: its lifecycle, `candidate` (not promoted yet) or `suspended` (differs from what callers agreed to).
 */
export type VersionState = LifecycleState | 'candidate' | 'suspended';

const PINNED = [
  'name',
  'version',
  'title',
  'description',
  'input_schema',
  'output_schema',
  'effect_class',
  'reversibility',
  'tier',
  'markings',
  'scopes',
  'purposes',
  'network',
  'provider',
  'protocol',
  'endpoint',
  'upstream',
  'resources',
  'summary',
] as const satisfies readonly (keyof ToolContract)[];

/**
 * Digest of the parts of a contract that callers and approvers rely on: texts, schemas, annotations, the identity of its effect and its
 * resources. The way it runs (timeouts, sizes, performance) may change without changing the digest.
 */
export function contractPin(contract: ToolContract): string {
  const { discriminating, except } = contract.idempotency ?? {};
  const relied = PINNED.filter((field) => contract[field] !== undefined).map((field) => [field, contract[field]]);
  return sha256Hex(
    canonicalText({ ...Object.fromEntries(relied), idempotency: { discriminating: discriminating ?? null, except: except ?? null } }),
  );
}

/** Digest of a whole contract: SHA-256 of its JCS text, hex. */
export function contractDigest(contract: ToolContract): string {
  return sha256Hex(canonicalText(contract));
}
