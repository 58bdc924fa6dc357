/** The ten patterns of tools; each has its own effect class and rules (libs/tool-kit/src/patterns). */
export const toolPatterns = [
  'extraction',
  'lookup',
  'validation',
  'classification',
  'composition',
  'action_staging',
  'approval_request',
  'aggregation',
  'conversion',
  'search',
] as const;
export type ToolPattern = (typeof toolPatterns)[number];

/** The declared performance of a tool; `availability` is a share, 0 to 1. */
export interface ToolSla {
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
  availability: number;
}

/** How long an answer of a read-only tool may be cached. `ttl_ms` only for `ttl`. */
export interface ToolCache {
  kind: 'none' | 'ttl' | 'forever';
  ttl_ms?: number;
}

/** A predicate over input and output: `warn` marks a result, `block` refuses it. */
export type SanitySeverity = 'warn' | 'block';

/** 0 unaudited, 1 audited by its provider, 2 audited by a third party. */
export type AuditStatus = 0 | 1 | 2;

/** A value for an input of another call: a JSON Pointer below `/inputs` or `/output`, or `/attempt_key`; else a literal. */
export type UpstreamInput = { from: string } | { literal?: unknown };

/** A call of another tool of the same upstream. */
export interface UpstreamCall {
  /** The exact name at the upstream. */
  tool: string;
  inputs: Record<string, UpstreamInput>;
}

/** How an operator declared that the effect of a write can be found. */
export interface UpstreamReconcile extends UpstreamCall {
  /** CEL over `inputs`, `attempt_key` and `output`; true: the effect happened. */
  matches: string;
  /** No match means that it did not happen. */
  is_complete: boolean;
}

/** A second name of a read-only tool of an upstream: calls by it may be answered with a cached result. */
export interface UpstreamAlias {
  name: string;
  /** How long a cached result answers equal calls. */
  ttl_ms: number;
}

/** The server that a tool comes from. */
export interface UpstreamTie {
  /** Name of the upstream in its tenant. */
  server: string;
  /** The exact name that is called there. */
  tool: string;
  /** Patterns of injection that were found in its texts. Absent: none. */
  flags?: string[];
  /** The input that is set to the key of the attempt; callers do not see it. Absent: none. */
  key_input?: string;
  /** Absent: a lost answer stays in doubt. */
  reconcile?: UpstreamReconcile;
  /** Absent: it cannot be undone. */
  compensation?: UpstreamCall;
  /** Absent: an operator gave it none. */
  alias?: UpstreamAlias;
}

/** Optional declarations of a tool. An absent field was not declared; its meaning is in its comment. */
export interface ToolRecord {
  /**
   * What a call does, in one sentence for approvers, with inputs in braces: `Write {/path} ({bytes of /content} bytes)`. Absent: approvers
   * read the title and the inputs that identify the effect.
   */
  summary?: string;
  /** Absent: no pattern. */
  pattern?: ToolPattern;
  /** Tags for discovery; absent: none. */
  capabilities?: string[];
  /** Allowed purposes; absent: any. */
  purposes?: string[];
  /** Absent: no declared performance. */
  sla?: ToolSla;
  /** Share of correct answers, 0 to 1, as measured by the author. */
  accuracy?: number;
  /** Absent: `{kind: 'none'}`. Only for read-only tools. */
  cache?: ToolCache;
  /** US dollars; absent: 0. */
  cost_per_call?: number;
  /** The tool can read its effect back after a run. */
  has_verify?: boolean;
  /** Names of the checks that the executor runs on each output; the predicates stay with the tool. */
  sanity?: { name: string; severity: SanitySeverity }[];
  /** Hosts that the tool may reach (`host`, `host:port`, `*.host`, or `*` for any); absent or empty: no network. */
  network?: string[];
  /** Names of the secrets that the tool may use; absent: none. */
  auth_requirements?: string[];
  /** The provider; absent: this installation. */
  provider?: string;
  /** The protocol of the tool; absent: `in_process`. */
  protocol?: 'in_process' | 'http' | 'mcp' | 'sandbox';
  /** The address of the tool; absent: local. Contains no credentials. */
  endpoint?: string;
  /** Absent: it is of no upstream. */
  upstream?: UpstreamTie;
  /** Absent: 0, unaudited. */
  audit_status?: AuditStatus;
  /** Version of the vocabulary used in its schemas. */
  ontology_pin?: string;
  /** Constraints such as `countersign >=0.1.0`; absent: none. */
  compatibility?: string[];
}
