import type { ApprovalRequirement, EffectClass, InputForm } from '@countersign/contracts';

/** Which tools a rule is about: every part that is given must fit, one of its entries is enough. None given: every tool. */
export interface ToolSelector {
  /** Exact names, or globs in which `*` matches any characters. */
  names?: readonly string[];
  categories?: readonly string[];
  effect_classes?: readonly EffectClass[];
  markings?: readonly string[];
}

export type RuleEffect = 'allow' | 'require_approval' | 'deny' | 'defer';

/** What becomes of a call that a rule defers. */
export interface DeferTerms {
  /** A condition, or `call <call_id> ended`. */
  until: string;
  timeout_ms: number;
  /** What becomes of it when that did not come; never an allowance. */
  on_timeout: 'deny' | 'require_approval';
}

export type RuleObligation =
  /** JSON Pointers into the result; a `*` part means any. */
  | { redact: readonly string[] }
  /**
   * A number of the inputs is lowered to `max`, or the call refused where it is above. `form` absent: the agent's inputs. A
   * mapped number is never lowered: the agent's inputs would not show it.
   */
  | { cap: { path: string; max: number; otherwise: 'lower' | 'refuse'; form?: InputForm } }
  | { tag: string };

export interface Rule {
  /** Unique in its bundle. */
  id: string;
  description?: string;
  tools: ToolSelector;
  /** True: it is about calls that undo an effect, and about these alone. Absent: about all others, and inline compensations. */
  compensations?: boolean;
  /** CEL; absent: always. */
  when?: string;
  effect: RuleEffect;
  /** Of require_approval. */
  approval?: ApprovalRequirement;
  /** Of allow: ids of the rules (or rows, `tool.<name>`) that it answers for: they do not ask where it applies. */
  overrides?: readonly string[];
  /** Of defer. */
  defer?: DeferTerms;
  obligations?: readonly RuleObligation[];
  /** What becomes of a call that was let through and that this rule asks people about at its execution. */
  at_execution?: 'refuse' | 'ask';
  /** Epoch ms from which on the rule is no more. */
  expires_at_ms?: number;
}

/** A tenant's policy as it is published: data, canonical JSON. */
export interface PolicyBundle {
  description?: string;
  /** What the built-in detector of dangerous operations asks for; default require_approval. */
  dangerous?: 'require_approval' | 'deny' | 'off';
  rules: readonly Rule[];
}
