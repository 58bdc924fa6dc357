import type {
  Authority,
  CallContext,
  CompensationKind,
  Principal,
  ToolContract,
  ToolPolicySet,
  VersionState,
} from '@countersign/contracts';
import type { BundleInForce } from './bundle/bundle-cache.js';
import type { FactTables } from './cel/bindings.js';

/** The tenant's bundles and tables at one position of the configuration. */
export interface PolicyInForce {
  active?: BundleInForce | undefined;
  shadow?: BundleInForce | undefined;
  facts: FactTables;
}

/** Lowered inputs and their mapped form, both in canonical JSON. */
export interface Remapped {
  inputs_json: string;
  mapped_json: string;
}

/**
 * True if a call undoes an effect by the definition of its tool or a published definition: then only rules about compensations apply. An
 * inline compensation is judged like any call.
 */
export const isSetUndo = (kind: CompensationKind | null | undefined): boolean => kind === 'own' || kind === 'published';

/** All inputs of a ruling. */
export interface RulingInput {
  contract: ToolContract;
  /** The tenant's row for the tool (or for `*`). It may lower or raise the tier and names its rule. */
  override?:
    | (Pick<ToolPolicySet, 'tier' | 'rule_id' | 'approver_roles' | 'quorum' | 'expires_after_ms'> &
        Partial<Pick<ToolPolicySet, 'requirement' | 'tool'>>)
    | undefined;
  lifecycle: VersionState;
  /** How the undo that the call does was defined; null or absent: the call undoes nothing. */
  compensation?: CompensationKind | null;
  context: Pick<CallContext, 'safety_mode'> & Partial<CallContext>;
  principal: Principal;
  /** The rights under which the call is made; null if unknown: then without clearances. */
  authority: Authority | null;
  /** Canonical inputs of the agent as text; parsed only if a rule uses them. */
  inputs_json: string;
  /** The mapped inputs; null or absent: the call has no mapping. */
  mapped_json?: string | null;
  /** The mapped form of inputs that a cap lowered; absent: not mapped yet. */
  remapped?: Remapped | undefined;
  case_id?: string | null;
  /** Absent: only the built-in rules and tiers apply. */
  policy?: PolicyInForce | undefined;
  /** Epoch ms. */
  now_ms: number;
  /** Deferring rules whose wait is over. */
  waited?: readonly string[];
  /** When a waiting call was first deferred, epoch ms; absent: now. */
  deferred_since_ms?: number;
  /** See `Subject`. */
  history?: Readonly<Record<string, unknown>>;
  /** The history in its recorded form. */
  history_json?: string;
  trust?: Readonly<Record<string, unknown>>;
}
