import {
  type ApprovalMode,
  approvalMode,
  type CallError,
  callError,
  canonicalText,
  type Deferral,
  type Obligation,
  type Principal,
  type RulingEffect,
  type RulingExplanation,
  type ShadowRuling,
  sha256Hex,
  strictness,
  type Tier,
} from '@countersign/contracts';
import { ANY_APPROVER, type Approvers, approversOf } from './asking.js';
import type { BundleInForce } from './bundle/bundle-cache.js';
import type { CompiledRule } from './bundle/compiled-rule.js';
import { capped, obligationsOf } from './obligations.js';
import { isSetUndo, type RulingInput } from './ruling-input.js';
import { standingOf } from './standing.js';
import { type BothForms, NOTHING, type Weighed, weigh } from './weigh.js';

export interface ResolvedRuling extends Approvers {
  effect: RulingEffect;
  tier: Tier;
  approval_mode_effective: ApprovalMode;
  /** Id of the deciding rule. */
  rule: string;
  /** Version of the bundle that decided. */
  bundle_version: string;
  /** Set only if the effect is deny. */
  reason: CallError | null;
  /** Set only if the effect is defer. */
  defer: Deferral | null;
  /** Null if only `rule` decided. */
  explanation: RulingExplanation | null;
  /** Canonical inputs lowered by caps; undefined: unchanged. */
  inputs_json?: string;
  /** Inputs that a cap lowered and that are not mapped yet: denied until the ruling is requested again with `remapped`. */
  unmapped_json?: string;
  /** True: an allowed call that needs approval at its execution waits for it. False: it is refused. */
  asks_at_execution: boolean;
}

/** The bundle version for tenants without an active bundle. */
export const BUILT_IN_VERSION = 'default-1';
const SAFETY_MODES: readonly string[] = ['normal', 'read_only', 'ask_all'];
const RECHECK_MS = 1000;

const UNMAPPED = { rule: 'policy.unmapped', message: 'a cap lowers the inputs, and the mapped form of the lowered inputs is not known' };

interface Denial {
  rule: string;
  message: string;
  details?: Record<string, unknown>;
}

function denied({ rule, message, details = {} }: Denial, mode: ApprovalMode, bundle_version = BUILT_IN_VERSION): ResolvedRuling {
  return {
    effect: 'deny',
    tier: 'tier_3_blocked',
    approval_mode_effective: mode,
    rule,
    bundle_version,
    reason: callError('POLICY_DENIED', message, { details: { rule, ...details } }),
    defer: null,
    explanation: null,
    asks_at_execution: false,
    ...ANY_APPROVER,
  };
}

function isPrincipal(value: Principal): boolean {
  return typeof value.id === 'string' && value.id !== '' && Array.isArray(value.roles);
}

function deferral(rule: CompiledRule, input: RulingInput): Deferral {
  const timeout_at_ms = (input.deferred_since_ms ?? input.now_ms) + (rule.defer?.timeout_ms ?? 0);
  const common = { limit_id: null, timeout_at_ms, on_timeout: rule.defer?.on_timeout ?? ('deny' as const) };
  if (rule.until_call !== undefined) return { until: 'call_ended', call_ids: [rule.until_call], wake_at_ms: null, ...common };
  return { until: 'again', call_ids: [], wake_at_ms: Math.min(input.now_ms + RECHECK_MS, timeout_at_ms), ...common };
}

function explained(
  force: BundleInForce | undefined,
  weighed: Weighed,
  obligations: Obligation[],
  { rule, history_json }: { rule: string; history_json: string | undefined },
): RulingExplanation | null {
  if (!force || 'unusable' in force) return null;
  const { matched, would_have, errors, facts } = weighed;
  const ids = matched.map(({ id }) => id);
  return {
    bundle_digest: force.bundle.digest,
    matched: ids.includes(rule) ? [rule, ...ids.filter((id) => id !== rule)] : ids,
    would_have: [...would_have],
    errors: [...errors],
    facts: [...facts],
    obligations,
    inputs_digest: null,
    waited: [],
    shadow: null,
    history_json: history_json ?? null,
  };
}

function judgeOnce(
  input: RulingInput,
  force: BundleInForce | undefined,
  forms: BothForms,
): { ruling: ResolvedRuling; obligations: Obligation[] } {
  const { contract } = input;
  const mode = approvalMode(contract);
  if (force && 'unusable' in force)
    return {
      ruling: denied({ rule: 'policy.bundle_unusable', message: `the active policy cannot be used: ${force.unusable}` }, mode),
      obligations: [],
    };
  const bundle = force?.bundle;
  const facts = input.policy?.facts ?? new Map();
  const weighed = bundle ? weigh(bundle, input, forms, facts) : NOTHING;
  const { standing, asks } = standingOf(input, weighed);
  const bundle_version = bundle?.version ?? BUILT_IN_VERSION;
  const obligations = obligationsOf(weighed.matched);
  const { tier, rule, why } = standing;
  if (strictness(tier) < 0 || typeof rule !== 'string')
    return {
      ruling: denied({ rule: 'policy.malformed', message: 'the policy of this call cannot be read' }, mode, bundle_version),
      obligations,
    };
  const explanation = explained(force, weighed, obligations, { rule, history_json: input.history_json });
  if (tier === 'tier_3_blocked') {
    const message = why ?? `policy blocks ${contract.name} (rule ${rule})`;
    return { ruling: { ...denied({ rule, message }, mode, bundle_version), explanation }, obligations };
  }
  const waiting = weighed.matched.find(({ effect }) => effect === 'defer');
  const effect = waiting ? 'defer' : tier === 'tier_2_approval_required' ? 'require_approval' : 'allow';
  const ruling: ResolvedRuling = {
    effect,
    tier,
    approval_mode_effective: mode,
    rule: waiting?.id ?? rule,
    bundle_version,
    reason: null,
    defer: waiting ? deferral(waiting, input) : null,
    explanation,
    asks_at_execution: asks.rules.every(({ at_execution }) => at_execution === 'ask'),
    ...approversOf(asks),
  };
  return { ruling, obligations };
}

/** The lowered inputs of the agent's form, with their mapped form; undefined if they are not mapped yet. */
function loweredForms(input: RulingInput, lowered: unknown, inputs_json: string): BothForms | undefined {
  if (input.mapped_json == null) return { inputs: () => lowered, mapped: () => lowered };
  const { remapped } = input;
  if (remapped?.inputs_json !== inputs_json) return undefined;
  const mapped = JSON.parse(remapped.mapped_json) as unknown;
  return { inputs: () => lowered, mapped: () => mapped };
}

const ofForm = (obligations: readonly Obligation[], form: 'inputs' | 'mapped'): Obligation[] =>
  obligations.filter((one) => one.kind === 'cap' && (one.form ?? 'inputs') === form);

/** The cap that refuses the mapped inputs, if any. Such a cap never lowers. */
function overCap(obligations: readonly Obligation[], forms: BothForms): Obligation | undefined {
  const caps = ofForm(obligations, 'mapped').map((cap) => ({ ...cap, tag: 'refuse' }));
  if (caps.length === 0) return undefined;
  const held = capped(forms.mapped(), caps);
  return 'refused' in held ? held.refused : undefined;
}

/**
 * Applies caps that lower, and judges the lowered inputs once more in both forms: a ruling is about the inputs that will run. Caps lower
 * only the agent's inputs, so that the mapped form can always be derived from them.
 */
function judgeCapped(input: RulingInput, force: BundleInForce | undefined, forms: BothForms): ResolvedRuling {
  const first = judgeOnce(input, force, forms);
  // An undo uses the inputs of its effect.
  if (isSetUndo(input.compensation)) return first.ruling;
  if (first.ruling.effect === 'deny' || !first.obligations.some(({ kind }) => kind === 'cap')) return first.ruling;
  const { bundle_version, approval_mode_effective: mode } = first.ruling;
  const refusal = ({ rule, paths, max, form }: Obligation): ResolvedRuling => {
    const path = form === 'mapped' ? `mapped ${paths[0]}` : paths[0];
    const details = { path: paths[0], max, ...(form === 'mapped' ? { form } : {}) };
    return {
      ...denied({ rule, message: `rule ${rule} caps ${path} at ${max}`, details }, mode, bundle_version),
      explanation: first.ruling.explanation,
    };
  };
  const lowered = capped(forms.inputs(), ofForm(first.obligations, 'inputs'));
  if ('refused' in lowered) return refusal(lowered.refused);
  if (lowered.inputs === forms.inputs()) {
    const over = overCap(first.obligations, forms);
    return over ? refusal(over) : first.ruling;
  }
  const inputs_json = canonicalText(lowered.inputs);
  const both = loweredForms(input, lowered.inputs, inputs_json);
  if (!both) return { ...denied(UNMAPPED, mode, bundle_version), unmapped_json: inputs_json };
  const mapped_json = input.mapped_json == null ? null : (input.remapped?.mapped_json ?? null);
  const second = judgeOnce({ ...input, inputs_json, mapped_json }, force, both);
  const again = capped(lowered.inputs, ofForm(second.obligations, 'inputs'));
  const over = 'refused' in again ? again.refused : overCap(second.obligations, both);
  if (over) return refusal(over);
  if ('inputs' in again && again.inputs !== lowered.inputs)
    return denied({ rule: second.ruling.rule, message: 'caps of different rules keep lowering the inputs' }, mode, bundle_version);
  const { explanation } = second.ruling;
  const caps = first.obligations.filter(({ kind }) => kind === 'cap');
  const obligations = [...new Map([...caps, ...second.obligations].map((one) => [JSON.stringify(one), one])).values()];
  const noted = explanation && { ...explanation, obligations, inputs_digest: sha256Hex(input.inputs_json) };
  return { ...second.ruling, explanation: noted, inputs_json };
}

function shadowOf(input: RulingInput, force: BundleInForce, forms: BothForms): ShadowRuling {
  const facts = input.policy?.facts ?? new Map();
  const { effect, tier, rule, bundle_version, explanation } = judgeCapped({ ...input, policy: { active: force, facts } }, force, forms);
  return { bundle_version, effect, tier, rule, matched: explanation?.matched ?? [] };
}

const NO_EXPLANATION: RulingExplanation = {
  bundle_digest: null,
  matched: [],
  would_have: [],
  errors: [],
  facts: [],
  obligations: [],
  inputs_digest: null,
  waited: [],
  shadow: null,
  history_json: null,
};

/** Parses a text on first use, once. */
function parsedOnce(text: string): () => unknown {
  let parsed: { value: unknown } | undefined;
  return () => {
    parsed ??= { value: JSON.parse(text) };
    return parsed.value;
  };
}

function formsOf({ inputs_json, mapped_json }: RulingInput): BothForms {
  const inputs = parsedOnce(inputs_json);
  return { inputs, mapped: mapped_json == null ? inputs : parsedOnce(mapped_json) };
}

function judge(input: RulingInput): ResolvedRuling {
  const mode = approvalMode(input.contract);
  if (!isPrincipal(input.principal)) return denied({ rule: 'policy.malformed', message: 'the call names no principal' }, mode);
  if (!SAFETY_MODES.includes(input.context.safety_mode ?? 'normal'))
    return denied({ rule: 'policy.malformed', message: 'the safety mode of this call cannot be read' }, mode);
  const forms = formsOf(input);
  const { policy } = input;
  const ruling = judgeCapped(input, policy?.active, forms);
  const waited = input.waited ?? [];
  if (!policy?.shadow && waited.length === 0) return ruling;
  const shadow = policy?.shadow ? shadowOf(input, policy.shadow, forms) : null;
  return { ...ruling, explanation: { ...(ruling.explanation ?? NO_EXPLANATION), waited: [...waited], shadow } };
}

/**
 * The ruling on one call (docs/how-to/policies.md). Precedence: a matching deny rule of the tenant's bundle; a defer rule; all approval
 * rules together with the tenant's row for the tool, each a part that people must meet; an allow rule, which lowers the default; else the
 * row, or the tier of the effect class (or of the contract, if stricter). Then conditions may only tighten. Pure; never throws: an
 * unreadable call is denied with a reason. Used by policy, by the executor before it fires, and by simulations.
 */
export function resolveRuling(input: RulingInput): ResolvedRuling {
  try {
    return judge(input);
  } catch {
    return denied({ rule: 'policy.malformed', message: 'the call, its contract or its policy cannot be read' }, 'destructive');
  }
}

/**
 * True if a new ruling forbids a call that was allowed before, even with approval: a denial, a deferral or lowered inputs. Approvals are
 * compared part by part (domain's `unansweredPart`).
 */
export function isStricter(now: Pick<ResolvedRuling, 'effect' | 'inputs_json'>): boolean {
  return now.inputs_json !== undefined || now.effect === 'deny' || now.effect === 'defer';
}
