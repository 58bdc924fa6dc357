import type { DefinitionFault } from '@countersign/domain';
import { inert } from '../text/inert.js';
import type { Assessment, Simulated } from './assess.js';
import type { RatedLevel } from './rated-chain.js';

const share = (value: number): string => value.toFixed(4);
const percent = (value: number): string => `${(100 * value).toFixed(2)} %`;
const duration = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? '-' : ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;

/** Columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

const HEADER = ['step', 'level', 'tool', 'version', 'r', '95 %', 'runs', 'source', 'in doubt', 'p50', 'p99'];

function levelRow({ step, level, tool, version, reliability, interval, runs, source, in_doubt, latency }: RatedLevel): string[] {
  const between = interval ? `${interval.low.toFixed(3)}-${interval.high.toFixed(3)}` : '-';
  const times = [duration(latency?.p50_ms), duration(latency?.p99_ms)];
  const rate = [share(reliability), between, runs === null ? '-' : String(runs), source, share(in_doubt)];
  return [step, String(level), tool, version, ...rate, ...times].map(inert);
}

/** A fault or warning as one line: step, pointer, message. */
export const findingLine = ({ step, pointer, message }: DefinitionFault): string =>
  inert(`${step === null ? '' : `${step} `}${pointer || '/'}: ${message}`);

function simulationRows({ seed, runs_wanted, ends, difference, agrees }: Simulated): string[][] {
  const of = (count: number) => share(count / ends.runs);
  const stopped = ends.runs < runs_wanted ? ` of ${runs_wanted}: the time was up` : '';
  return [
    ['simulated runs', `${ends.runs}`, `seed ${seed}${stopped}`],
    ['  completes', of(ends.completed), `by a person ${of(ends.by_person)}, stops in doubt ${of(ends.in_doubt)}, fails ${of(ends.failed)}`],
    ['  difference', percent(Math.abs(difference)), agrees ? 'agrees with the prediction' : 'DOES NOT AGREE with the prediction'],
  ];
}

/** An assessment for people. */
export function reportLines({ definition, levels, prediction, interval, simulation, warnings }: Assessment): string[] {
  const { reliability, without_fallbacks, by_person, in_doubt, reliability_at_worst } = prediction;
  const between = `${share(interval.low)} to ${share(interval.high)} with each rate at an end of its 95 % interval`;
  const latency = simulation && `${duration(simulation.p50_ms)} / ${duration(simulation.p99_ms)}`;
  const result = [
    ['R, completes without a person', share(reliability), between],
    ['  without fallbacks', share(without_fallbacks), ''],
    ['  if no doubt had an effect', share(reliability_at_worst), ''],
    ['completes by a person', share(by_person), ''],
    ['stops in doubt', share(in_doubt), ''],
    ['latency p50 / p99', latency ?? '-', 'simulated, without people, events and compensations'],
    ...(simulation ? simulationRows(simulation) : []),
  ];
  const noted = warnings.length > 0 ? ['', 'warnings:', ...warnings.map((warning) => `  ${findingLine(warning)}`)] : [];
  const head = `${definition.name} ${definition.version}`;
  return [head, '', ...table([HEADER, ...levels.map(levelRow)]), '', ...table(result), ...noted];
}
