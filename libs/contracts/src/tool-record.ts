/** The ten shapes that a capability may have; each has its effect class and rules of its own (libs/tool-kit/src/patterns). */
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

/** What a tool promises of its speed; `availability` is a share, 0 to 1. */
export interface ToolSla {
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
  availability: number;
}

/** How long an answer of a read-only tool may be given again. `ttl_ms` belongs to `ttl` only. */
export interface ToolCache {
  kind: 'none' | 'ttl' | 'forever';
  ttl_ms?: number;
}

/** A predicate over input and output: `warn` marks a result, `block` makes it one that the tool should not have given. */
export type SanitySeverity = 'warn' | 'block';

/** 0 unaudited, 1 audited by its provider, 2 audited by a third party. */
export type AuditStatus = 0 | 1 | 2;

/** What a tool says of itself beyond what it needs to run. A field that is absent was not declared, and means what its line says. */
export interface ToolRecord {
  /** Absent: a tool of no pattern. */
  pattern?: ToolPattern;
  /** Tags that discovery finds it by; absent: none. */
  capabilities?: string[];
  /** What it may be used for; absent: any purpose. */
  purposes?: string[];
  /** Absent: nothing promised. */
  sla?: ToolSla;
  /** Share of answers that are right, 0 to 1, as its author measured it. */
  accuracy?: number;
  /** Absent: `{kind: 'none'}`. Only read-only tools have one. */
  cache?: ToolCache;
  /** US dollars; absent: 0. */
  cost_per_call?: number;
  /** It can read its effect back after a run. */
  has_verify?: boolean;
  /** Names of what the executor checks of each output; the predicates themselves stay with the tool. */
  sanity?: { name: string; severity: SanitySeverity }[];
  /** Hosts that it may reach (`host`, `host:port`, `*.host`, or `*` for any); absent or empty: no network. */
  network?: string[];
  /** Names of the secrets that it may ask for; absent: none. */
  auth_requirements?: string[];
  /** Who makes it; absent: this installation. */
  provider?: string;
  /** What it is spoken to in; absent: `in_process`. */
  protocol?: 'in_process' | 'http' | 'mcp' | 'sandbox';
  /** Where it is reached; absent: here. Carries no credentials. */
  endpoint?: string;
  /** Absent: 0, unaudited. */
  audit_status?: AuditStatus;
  /** Version of the vocabulary that its schemas speak of. */
  ontology_pin?: string;
  /** Constraints such as `countersign >=0.1.0`; absent: none. */
  compatibility?: string[];
}
