import { NO_RUNS, plus, type RunCounts, type ToolTrust, type VersionTrust } from './state.js';

/** The maximum of runs that one caller counts for in a version. Its success rates are kept. */
export const RUNS_OF_ONE_MAX = 1_000;
/** A version with fewer own runs is topped up to this many with runs of earlier versions. */
const RUNS_OF_ITS_OWN = 100;

/**
 * The counted runs of a version. A caller with more than `RUNS_OF_ONE_MAX` runs counts for that many, so that no caller outvotes the others
 * by calling often. Rates are kept: 2 % failures stay 2 % failures.
 */
function ownRuns(version: VersionTrust): RunCounts {
  let sum: RunCounts = { ...NO_RUNS };
  for (const counts of version.runs.values()) sum = plus(sum, counts, Math.min(1, RUNS_OF_ONE_MAX / counts.runs));
  return sum;
}

export interface CountedRuns {
  counted: RunCounts;
  /** The runs among them that earlier versions contribute, by version. */
  inherited: Map<string, number>;
}

/**
 * The runs that a version is judged by. A version with `RUNS_OF_ITS_OWN` runs is judged by these alone; until then the missing runs come
 * from the versions that ran before it, newest first, so that a new version number does not drop history.
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

/** Ordered by their first run, not by version number, because authors choose the numbers. */
function versionsBefore(tool: ToolTrust, version: string): [string, VersionTrust][] {
  const since = tool.versions.get(version)?.first_run_ms ?? Number.POSITIVE_INFINITY;
  const first = (part: VersionTrust) => part.first_run_ms ?? Number.POSITIVE_INFINITY;
  return [...tool.versions]
    .filter(([name, part]) => name !== version && part.first_run_ms !== null && part.first_run_ms <= since && part.runs.size > 0)
    .sort(([a, x], [b, y]) => first(y) - first(x) || (a < b ? 1 : -1));
}
