/** What runs came to, counted. Each of the others is part of `runs`. */
export interface RunCounts {
  /** Runs that were fired and are known to have ended, or to be in doubt. */
  runs: number;
  succeeded: number;
  /** Succeeded, and a read-back showed the effect. */
  verified: number;
  /** Gave an output that fits the schema. */
  valid: number;
  /** Took no longer than the declared p95. */
  timely: number;
  /** Runs without an input error (VALIDATION_ERROR). */
  sound: number;
}

/** What a registration says of a version, as far as trust goes by it. */
export interface RegisteredFact {
  /** Absent in the contract: this installation. */
  provider: string;
  digest: string;
  /** What the contract says of itself: 0, 1 or 2. */
  audit_status: number;
  declares_sla: boolean;
  reads_back: boolean;
  /** Of a passed evaluation of this very contract that it came with, epoch ms. */
  evaluated_at_ms: number | null;
}

/** Everything that is known of one version of a tool in one tenant. */
export interface VersionTrust {
  registered: RegisteredFact | null;
  /** Newest passed evaluation of each contract digest, epoch ms. */
  evaluations: Map<string, number>;
  /** A recorded audit; it overrides the claim of the contract. */
  audit: { level: AuditLevel; at_ms: number } | null;
  /** By `<kind>:<id>` of who called. */
  runs: Map<string, RunCounts>;
  /** When it was run first, epoch ms; null: never. */
  first_run_ms: number | null;
}

/** 0 unaudited, .5 by its provider, 1 by a third party. */
export type AuditLevel = 0 | 0.5 | 1;

/** A tool of one tenant: its versions and what people think of it. */
export interface ToolTrust {
  tool: string;
  versions: Map<string, VersionTrust>;
  /** By whom they count for: one each, the newest. Stars from 0 to 5. */
  ratings: Map<string, { rating: number; at_ms: number }>;
}

/** What is known of one agent of a tenant. */
export interface AgentTrust {
  /** Runs of each `tool@version`. */
  runs: Map<string, RunCounts>;
  /** Requests for approval that people decided, and how many they granted. */
  asked: number;
  granted: number;
  /** When a read-back or a person last confirmed something that it did, epoch ms. */
  confirmed_at_ms: number | null;
}

export const NO_RUNS: Readonly<RunCounts> = { runs: 0, succeeded: 0, verified: 0, valid: 0, timely: 0, sound: 0 };

export const emptyTrust = (tool: string): ToolTrust => ({ tool, versions: new Map(), ratings: new Map() });

export const emptyAgent = (): AgentTrust => ({ runs: new Map(), asked: 0, granted: 0, confirmed_at_ms: null });

/** The version's part, made if there is none yet. */
export function versionTrust(state: ToolTrust, version: string): VersionTrust {
  let part = state.versions.get(version);
  if (!part) {
    part = { registered: null, evaluations: new Map(), audit: null, runs: new Map(), first_run_ms: null };
    state.versions.set(version, part);
  }
  return part;
}

/** The sum of two counts, the second with a weight. */
export function plus(a: Readonly<RunCounts>, b: Readonly<RunCounts>, weight = 1): RunCounts {
  return {
    runs: a.runs + weight * b.runs,
    succeeded: a.succeeded + weight * b.succeeded,
    verified: a.verified + weight * b.verified,
    valid: a.valid + weight * b.valid,
    timely: a.timely + weight * b.timely,
    sound: a.sound + weight * b.sound,
  };
}
