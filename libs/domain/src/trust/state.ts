/** Counts of runs by result. Every other count is included in `runs`. */
export interface RunCounts {
  /** Runs that fired and have ended or are in doubt. */
  runs: number;
  succeeded: number;
  /** Succeeded, and a read-back confirmed the effect. */
  verified: number;
  /** The output fits the schema. */
  valid: number;
  /** Not slower than the declared p95. */
  timely: number;
  /** Runs without an input error (VALIDATION_ERROR). */
  sound: number;
}

/** The facts of a registration that affect trust. */
export interface RegisteredFact {
  /** The local installation, if the contract names no provider. */
  provider: string;
  digest: string;
  /** The claim of the contract: 0, 1 or 2. */
  audit_status: number;
  declares_sla: boolean;
  reads_back: boolean;
  /** Time of a passed evaluation of exactly this contract that the version ships with, epoch ms. */
  evaluated_at_ms: number | null;
}

/** The facts about one version of a tool in one tenant. */
export interface VersionTrust {
  registered: RegisteredFact | null;
  /** Contract digest → its newest passed evaluation, epoch ms. */
  evaluations: Map<string, number>;
  /** A recorded audit; it overrides the claim of the contract. */
  audit: { level: AuditLevel; at_ms: number } | null;
  /** By the caller, as `<kind>:<id>`. */
  runs: Map<string, RunCounts>;
  /** Time of the first run, epoch ms; null: never. */
  first_run_ms: number | null;
}

/** 0 unaudited, .5 self-assessed by its provider, 1 audited by a third party. */
export type AuditLevel = 0 | 0.5 | 1;

/** A tool of one tenant: its versions and its ratings. */
export interface ToolTrust {
  tool: string;
  versions: Map<string, VersionTrust>;
  /** By rater: the newest rating of each. Stars from 0 to 5. */
  ratings: Map<string, { rating: number; at_ms: number }>;
}

/** The facts about one agent of a tenant. */
export interface AgentTrust {
  /** `tool@version` → its runs. */
  runs: Map<string, RunCounts>;
  /** Approval requests that people decided (`asked`), and granted ones. */
  asked: number;
  granted: number;
  /** When a read-back or a person last confirmed an effect of the agent, epoch ms. */
  confirmed_at_ms: number | null;
}

export const NO_RUNS: Readonly<RunCounts> = { runs: 0, succeeded: 0, verified: 0, valid: 0, timely: 0, sound: 0 };

export const emptyTrust = (tool: string): ToolTrust => ({ tool, versions: new Map(), ratings: new Map() });

export const emptyAgent = (): AgentTrust => ({ runs: new Map(), asked: 0, granted: 0, confirmed_at_ms: null });

/** The version's part; created if missing. */
export function versionTrust(state: ToolTrust, version: string): VersionTrust {
  let part = state.versions.get(version);
  if (!part) {
    part = { registered: null, evaluations: new Map(), audit: null, runs: new Map(), first_run_ms: null };
    state.versions.set(version, part);
  }
  return part;
}

/** The sum of two counts, the second multiplied by a weight. */
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
