import type { ApprovalRequirement, EffectClass, InputForm } from '@countersign/contracts';

/** Selects tools: every given criterion must match at least one of its entries. Without criteria: every tool. */
export interface ToolSelector {
  /** Exact names, or globs in which `*` matches any characters. */
  names?: readonly string[];
  categories?: readonly string[];
  effect_classes?: readonly EffectClass[];
  markings?: readonly string[];
  /** Name of an upstream: its tools. */
  upstream?: string;
}

export type RuleEffect = 'allow' | 'require_approval' | 'deny' | 'defer';

/** The terms of a deferral. */
export interface DeferTerms {
  /** A condition, or `call <call_id> ended`. */
  until: string;
  timeout_ms: number;
  /** The effect on a call whose wait times out; never allow. */
  on_timeout: 'deny' | 'require_approval';
}

export type RuleObligation =
  /** JSON Pointers into the result; a `*` part matches any field or item. */
  | { redact: readonly string[] }
  /**
   * Lowers a number of the inputs to `max`, or refuses the call if it is above. `form` absent: the agent's inputs. A mapped number is never
   * lowered, because the agent's inputs would not show it.
   */
  | { cap: { path: string; max: number; otherwise: 'lower' | 'refuse'; form?: InputForm } }
  | { tag: string };

export interface Rule {
  /** Unique in its bundle. */
  id: string;
  description?: string;
  tools: ToolSelector;
  /** True: the rule applies only to calls that undo an effect. Absent: to all other calls, including inline compensations. */
  compensations?: boolean;
  /** CEL; absent: always. */
  when?: string;
  effect: RuleEffect;
  /** For require_approval. */
  approval?: ApprovalRequirement;
  /** For allow: ids of the rules (or rows, `tool.<name>`) that no longer require approval when this rule applies. */
  overrides?: readonly string[];
  /** For defer. */
  defer?: DeferTerms;
  obligations?: readonly RuleObligation[];
  /** The effect on an allowed call that this rule would require approval for at its execution. */
  at_execution?: 'refuse' | 'ask';
  /** Epoch ms from which the rule no longer applies. */
  expires_at_ms?: number;
}

/** A tenant's policy as published, in canonical JSON. */
export interface PolicyBundle {
  description?: string;
  /** The effect of the built-in detector of dangerous operations; default require_approval. */
  dangerous?: 'require_approval' | 'deny' | 'off';
  rules: readonly Rule[];
}
