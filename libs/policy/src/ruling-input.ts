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

/** Lowered inputs and what the mapping makes of them. Both canonical JSON. */
export interface Remapped {
  inputs_json: string;
  mapped_json: string;
}

/**
 * Whether a call undoes an effect by what its tool or a published definition says: then it is bound by rules that name compensations alone.
 * An inline compensation is judged like any call.
 */
export const isSetUndo = (kind: CompensationKind | null | undefined): boolean => kind === 'own' || kind === 'published';

/** Everything that a ruling looks at. */
export interface RulingInput {
  contract: ToolContract;
  /** The tenant's row for the tool (or for `*`); may lower or raise the tier and names its rule. */
  override?:
    | (Pick<ToolPolicySet, 'tier' | 'rule_id' | 'approver_roles' | 'quorum' | 'expires_after_ms'> &
        Partial<Pick<ToolPolicySet, 'requirement' | 'tool'>>)
    | undefined;
  lifecycle: VersionState;
  /** Whether the call undoes an earlier effect, and how it came to be; null or absent: it undoes nothing. */
  compensation?: CompensationKind | null;
  context: Pick<CallContext, 'safety_mode'> & Partial<CallContext>;
  principal: Principal;
  /** By whose rights; null where the call says nothing of it: no clearances then. */
  authority: Authority | null;
  /** Canonical inputs of the agent, as text: parsed only if a rule uses them. */
  inputs_json: string;
  /** What the tenant's mapping made of them; null or absent: they run as they are. */
  mapped_json?: string | null;
  /** The mapped form of inputs that a cap lowered; absent: not mapped yet. */
  remapped?: Remapped | undefined;
  case_id?: string | null;
  /** Absent: the built-in rules and tiers alone. */
  policy?: PolicyInForce | undefined;
  /** Epoch ms. */
  now_ms: number;
  /** Deferring rules whose wait is over. */
  waited?: readonly string[];
  /** When a call that waits was deferred first, epoch ms; absent: now. */
  deferred_since_ms?: number;
  /** See `Subject`. */
  history?: Readonly<Record<string, unknown>>;
  /** The same as it is recorded. */
  history_json?: string;
  trust?: Readonly<Record<string, unknown>>;
}
