import { canonicalText, sha256Hex } from './canonical-text.js';
import type { ApprovalMode, EffectClass, LifecycleState, Reversibility, Tier } from './generated/events.js';
import type { ToolRecord } from './tool-record.js';

/** JSON Schema 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** `replaces`: the earlier state of the name no longer counts. `adds`: what earlier writes added stays. */
export type ResourceEffect = 'replaces' | 'adds';

/** One thing that a write acts on, as a template over the inputs that run. */
export interface ResourceTemplate {
  /**
   * `file:{/path}`, `git:{/repo}/heads/{/branch}`: the kind (`[a-z][a-z0-9_]*`), a colon, then segments of literal text and of inputs
   * (a JSON Pointer in braces), separated by `/`. See `resourcesOf` for the name that a call gets.
   */
  name: string;
  /** Fixed, or by the value of one input: `{by: '/mode', values: {append: 'adds'}, otherwise: 'replaces'}`. */
  effect: ResourceEffect | { by: string; values: Record<string, ResourceEffect>; otherwise: ResourceEffect };
}

/** What a tool promises; announced on `tool-registered`, so that gateway and policy need no tool code. */
export interface ToolContract extends ToolRecord {
  name: string;
  /** Exact semver. */
  version: string;
  title: string;
  /** For a model: when to use the tool and what it does. */
  description: string;
  category: string;
  input_schema: JsonSchema;
  output_schema: JsonSchema;
  effect_class: EffectClass;
  reversibility: Reversibility;
  /** Which top-level inputs identify the effect: exactly one of the two lists. `window_ms` defaults to 24 h. */
  idempotency: { discriminating?: string[]; except?: string[]; window_ms?: number };
  /** What a write acts on. Absent: the write can name no resource. Reads never have any. */
  resources?: ResourceTemplate[];
  /** The tool's own system takes our idempotency key, so a write may be sent again after a lost answer. */
  takes_key: boolean;
  has_reconcile: boolean;
  has_compensate: boolean;
  timeout_ms: number;
  /** No reconcile earlier than this after the fire; default 2 × timeout. */
  settle_ms: number;
  /** `settle_ms` is final: what has not happened by then never will. */
  settle_is_final: boolean;
  max_output_bytes: number;
  /** Stricter than the default of the effect class; never laxer. */
  tier?: Tier;
  markings: string[];
  scopes: string[];
}

/** What follows from an effect class. A tool may declare stricter; a tenant's policy may resolve lower, and the ruling names the rule. */
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

/** Position in the order of strictness, 0 (safe) to 3 (blocked). */
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

/** The tier where no policy says otherwise: the effect class's, or the contract's own where that is stricter. */
export function defaultTier(contract: Pick<ToolContract, 'effect_class' | 'tier'>): Tier {
  const byClass = effectRules[contract.effect_class].tier;
  return contract.tier && strictness(contract.tier) > strictness(byClass) ? contract.tier : byClass;
}

/** The state of a version for a tenant: its lifecycle, `candidate` (not promoted yet) or `suspended` (differs from what callers agreed to). */
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
  'resources',
] as const satisfies readonly (keyof ToolContract)[];

/**
 * Digest of what callers and approvers of a version rely on: its words, schemas, annotations, what identifies its effect
 * and what it acts on.
 * How it runs (timeouts, sizes, promises of speed) may change under it.
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
