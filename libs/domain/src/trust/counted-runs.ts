import { NO_RUNS, plus, type RunCounts, type ToolTrust, type VersionTrust } from './state.js';

/** One caller counts for at most this many runs of a version, in its own proportions. */
export const RUNS_OF_ONE_MAX = 1_000;
/** A version with fewer runs of its own is topped up to this many from those before it. */
const RUNS_OF_ITS_OWN = 100;

/**
 * The runs of a version that count: a caller with more than `RUNS_OF_ONE_MAX` counts for that many, so that no caller outvotes
 * everybody by calling often. Proportions stay: who sees 2 % fail still sees 2 % fail.
 */
function ownRuns(version: VersionTrust): RunCounts {
  let sum: RunCounts = { ...NO_RUNS };
  for (const counts of version.runs.values()) sum = plus(sum, counts, Math.min(1, RUNS_OF_ONE_MAX / counts.runs));
  return sum;
}

export interface CountedRuns {
  counted: RunCounts;
  /** What of it are runs of versions before, by version. */
  inherited: Map<string, number>;
}

/**
 * The runs that a version is judged by. A version that has `RUNS_OF_ITS_OWN` is judged by its own; until then what is
 * missing is taken from the versions that were run before it, the newest first: a new number sheds no history.
 */
export function countedRuns(tool: ToolTrust, version: string): CountedRuns {
  const own = tool.versions.get(version);
  let counted = own ? ownRuns(own) : { ...NO_RUNS };
  const inherited = new Map<string, number>();
  for (const [name, before] of versionsBefore(tool, version)) {
    const missing = RUNS_OF_ITS_OWN - counted.runs;
    if (missing <= 0) break;
    const theirs = ownRuns(before);
    const weight = Math.min(1, missing / theirs.runs);
    counted = plus(counted, theirs, weight);
    inherited.set(name, theirs.runs * weight);
  }
  return { counted, inherited };
}

/** By when they were first run, not by their numbers: those are the author's to choose. */
function versionsBefore(tool: ToolTrust, version: string): [string, VersionTrust][] {
  const since = tool.versions.get(version)?.first_run_ms ?? Number.POSITIVE_INFINITY;
  const first = (part: VersionTrust) => part.first_run_ms ?? Number.POSITIVE_INFINITY;
  return [...tool.versions]
    .filter(([name, part]) => name !== version && part.first_run_ms !== null && part.first_run_ms <= since && part.runs.size > 0)
    .sort(([a, x], [b, y]) => first(y) - first(x) || (a < b ? 1 : -1));
}
