/** One line of a scenario's `checks.json`. */
export interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

/** A scenario that a revision names, and whether it counts for conformance. */
export interface NamedScenario {
  scenario: string;
  scored: boolean;
}

/** A check that does not succeed, and why that is right. Without `check`: every check of the scenario. */
export interface Exception {
  run: string;
  scenario: string;
  check?: string;
  status: string;
  reason: string;
}

/** The results of one run of the suite, by scenario. */
export interface SuiteRun {
  name: string;
  scenarios: readonly NamedScenario[];
  checks: ReadonlyMap<string, readonly Check[]>;
}

interface Counts {
  succeeded: number;
  checks: number;
}

export interface Verdict {
  /** One line for each scenario. */
  lines: string[];
  faults: string[];
  /** Scenarios in which every check succeeded or is excepted. */
  passed: number;
  /** Checks of scored scenarios, and of all. Notes do not count. */
  scored: Counts;
  all: Counts;
}

const GOOD: readonly string[] = ['SUCCESS', 'INFO'];

const covers = (exception: Exception, scenario: string, check: Check): boolean =>
  exception.scenario === scenario && exception.status === check.status && (exception.check ?? check.id) === check.id;

/**
 * Reads each scenario of a run line by line: the suite itself exits with 0 while scenarios that it does not score fail, and a scenario
 * that ran no check counts as passed.
 */
export function judge({ name, scenarios, checks }: SuiteRun, all: readonly Exception[]): Verdict {
  const exceptions = all.filter(({ run }) => run === name);
  const used = new Set<Exception>();
  const verdict: Verdict = { lines: [], faults: [], passed: 0, scored: { succeeded: 0, checks: 0 }, all: { succeeded: 0, checks: 0 } };
  for (const { scenario, scored } of scenarios) {
    const found = checks.get(scenario) ?? [];
    const succeeded = found.filter(({ status }) => status === 'SUCCESS').length;
    const faults: string[] = [];
    let excepted = 0;
    for (const check of found.filter(({ status }) => !GOOD.includes(status))) {
      const exception = exceptions.find((one) => covers(one, scenario, check));
      if (!exception) faults.push(`${name} ${scenario} ${check.id}: ${check.status}: ${check.errorMessage ?? 'no message'}`);
      else {
        excepted++;
        used.add(exception);
      }
    }
    if (succeeded === 0 && excepted === 0) faults.push(`${name} ${scenario}: no check succeeded`);
    for (const counts of scored ? [verdict.scored, verdict.all] : [verdict.all]) {
      counts.succeeded += succeeded;
      counts.checks += found.filter(({ status }) => status !== 'INFO').length;
    }
    if (faults.length === 0) verdict.passed++;
    verdict.faults.push(...faults);
    verdict.lines.push(line(scenario, { succeeded, failed: faults.length, excepted, scored }));
  }
  for (const exception of exceptions.filter((one) => !used.has(one)))
    verdict.faults.push(`${name} ${exception.scenario}: the exception for ${exception.check ?? 'all checks'} is stale: remove it`);
  return verdict;
}

function line(
  scenario: string,
  { succeeded, failed, excepted, scored }: Record<'succeeded' | 'failed' | 'excepted', number> & { scored: boolean },
) {
  const counts = [`${succeeded} succeeded`, ...(failed ? [`${failed} FAILED`] : []), ...(excepted ? [`${excepted} excepted`] : [])];
  return `  ${failed ? 'FAILED' : 'ok    '} ${scenario}${scored ? '' : ' (unscored)'}: ${counts.join(', ')}`;
}
