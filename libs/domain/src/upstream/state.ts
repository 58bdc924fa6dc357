import type {
  EffectClass,
  JsonSchema,
  Principal,
  ResourceTemplate,
  Reversibility,
  Tier,
  UpstreamCall,
  UpstreamCredential,
  UpstreamReconcile,
} from '@countersign/contracts';

/** Where an MCP server is: an address, or a command of the installation by its name. */
export type UpstreamAddress = { kind: 'http'; url: string } | { kind: 'command'; command: string };

/** What a server claims of its tool. Unverified. */
export interface UpstreamHints {
  title?: string;
  read_only?: boolean;
  destructive?: boolean;
  idempotent?: boolean;
  open_world?: boolean;
}

/** A tool as its upstream describes it: bounded, otherwise hostile text. */
export interface UpstreamDefinition {
  /** The exact name at the upstream. */
  name: string;
  title: string;
  description: string;
  input_schema: JsonSchema;
  /** Of the whole output as recorded here. */
  output_schema: JsonSchema;
  annotations: UpstreamHints;
  /** Patterns of injection that were found in its texts. */
  flags: string[];
}

/** What an operator declares of a tool of an upstream. */
export interface UpstreamOverlay {
  effect_class: EffectClass;
  reversibility?: Reversibility;
  summary?: string;
  /** Absent: all inputs. */
  discriminating?: string[];
  window_ms?: number;
  resources?: ResourceTemplate[];
  /** The input that is set to the key of the attempt. */
  key_input?: string;
  /** Its second name, whose calls a cached result may answer. Absent: none. */
  alias?: { ttl_ms: number };
  reconcile?: UpstreamReconcile;
  compensation?: UpstreamCall;
  undo_within_ms?: number;
  timeout_ms?: number;
  settle_ms?: number;
  settle_is_final?: boolean;
  max_output_bytes?: number;
  tier?: Tier;
  markings?: string[];
  scopes?: string[];
  purposes?: string[];
  /** Digest of the listed definition that the operator refused: while the upstream says that, the tool is active as pinned. */
  refused_digest?: string;
}

/** What an operator declared of a tool, and the definition that was seen then. */
export interface ClassifiedTool {
  tool: string;
  digest: string;
  definition: UpstreamDefinition;
  overlay: UpstreamOverlay;
  version: string;
  /** The upstream was at this place then (its revision). */
  place_revision: number;
  by: Principal;
  changed_at_ms: number;
}

/** One revision of the settings of an upstream. */
export interface UpstreamSettings {
  revision: number;
  /** Null: it was removed. */
  place: UpstreamAddress | null;
  credentials: readonly UpstreamCredential[];
  timeout_ms: number;
  by: Principal;
  changed_at_ms: number;
}

/** An upstream of a tenant, folded from `configuration-changed` alone. Never changed in place. */
export interface Upstream extends UpstreamSettings {
  name: string;
  /** The revision from which it is at its present place: what was declared earlier was declared of another server. */
  place_revision: number;
  /** By exact name. */
  classified: ReadonlyMap<string, ClassifiedTool>;
  /** Oldest first, the current one included, the oldest left out beyond a bound. */
  revisions: readonly UpstreamSettings[];
}

/** What the listings of an upstream say of one tool. */
export interface SeenTool {
  tool: string;
  /** Digest of the first definition that was seen at this place: the pinned one until an operator pins another. */
  first: string;
  /** Digest of the newest definition. */
  current: string;
  /** Why the newest definition is not taken; null: it is. */
  refused: string | null;
  /** Since when complete listings lack it; null: the newest has it. */
  missing_since_ms: number | null;
  /** Two complete listings, a minute apart, lacked it. */
  is_gone: boolean;
  /** It was gone and came back with this other definition. */
  came_back_as: string | null;
}

/** What is known of the tools of an upstream, folded from `tool-registered` alone. Never changed in place. */
export interface UpstreamListing {
  upstream: string;
  revision: number;
  place_revision: number;
  is_healthy: boolean;
  fault: string | null;
  reason: string | null;
  /** When its health last changed. */
  health_since_ms: number;
  /** The newest complete listing on the record; null: there was none. */
  listed_at_ms: number | null;
  server: string | null;
  protocol_version: string | null;
  tools: ReadonlyMap<string, SeenTool>;
  refused: readonly { tool: string; reason: string }[];
  /** By digest: those that `tools` name. */
  definitions: ReadonlyMap<string, UpstreamDefinition>;
  /** Characters of the definitions that were recorded for this revision. */
  recorded_chars: number;
}
