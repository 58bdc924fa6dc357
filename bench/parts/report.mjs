// Medians over rounds, the table, and the comparison with the baseline.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export function median(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const round = (value, digits = 2) => (Number.isFinite(value) ? (value >= 1000 ? String(Math.round(value)) : value.toFixed(digits)) : '-');

/** `results`: [{round, target, section, ...}]. One line a target and section. */
export function table(results) {
  const head = ['', 'section', 'calls/s', 'p50 ms', 'p99 ms', 'CPU ms a call', 'effects/keys', 'unequal', 'errors', 'CPUs busy'];
  const lines = [head];
  for (const target of new Set(results.map((result) => result.target))) {
    for (const section of new Set(results.map((result) => result.section))) {
      const rows = results.filter((result) => result.target === target && result.section === section);
      if (rows.length === 0) continue;
      const of = (read) => median(rows.map(read));
      const sum = (read) => rows.reduce((total, row) => total + read(row), 0);
      const cpu = Object.keys(rows[0].cpu_ms)
        .map((name) => `${name} ${round(of((row) => row.cpu_ms[name]))}`)
        .join(', ');
      const counted = `${sum((row) => row.effects)}/${sum((row) => row.keys)}`;
      lines.push([
        target,
        section,
        round(
          of((row) => row.rate),
          0,
        ),
        round(of((row) => row.p50)),
        round(of((row) => row.p99)),
        cpu,
        counted,
        String(sum((row) => row.unequal)),
        String(sum((row) => row.errors)),
        `${round(100 * of((row) => row.busy), 0)} %`,
      ]);
    }
  }
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at].length)));
  return lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at])).join('  ')).join('\n');
}

/** Ratios to the floor, taken inside each round, then the median over rounds. */
export function ratios(results, product) {
  const pairs = (section, read) =>
    median(
      results
        .filter((result) => result.target === product && result.section === section)
        .map((mine) => {
          const floor = results.find((result) => result.target === 'floor' && result.section === section && result.round === mine.round);
          return floor ? read(mine) / read(floor) : Number.NaN;
        }),
    );
  return {
    rate_64: pairs('64 in flight', (result) => result.rate),
    rate_256: pairs('256 in flight', (result) => result.rate),
    p50_alone: pairs('alone', (result) => result.p50),
    key_rate_repeated: pairs('each 5 times', (result) => result.key_rate),
  };
}

/** What must hold whatever the machine: one line for each breach. */
export function breaches(results) {
  return results.flatMap(({ target, section, round: n, effects, keys, unequal, errors, first_error }) => {
    const where = `${target}, ${section}, round ${n}`;
    return [
      ...(effects === keys ? [] : [`${where}: ${effects} effects for ${keys} keys`]),
      ...(unequal === 0 ? [] : [`${where}: ${unequal} keys with unequal answers`]),
      ...(errors === 0 ? [] : [`${where}: ${errors} calls failed, the first: ${first_error}`]),
    ];
  });
}

const SLACK = 0.2;

/** Warnings where a ratio is a fifth worse than the baseline's; `p50_alone` is better when lower. */
export function compare(file, mode, measured) {
  if (!existsSync(file)) return [];
  const baseline = JSON.parse(readFileSync(file, 'utf8'))[mode] ?? {};
  return Object.entries(measured).flatMap(([name, value]) => {
    const known = baseline[name];
    if (!Number.isFinite(known) || !Number.isFinite(value)) return [];
    const worse = name.startsWith('p50') ? value / known : known / value;
    return worse > 1 + SLACK ? [`${name} is ${round(value)} of the floor, the baseline says ${round(known)}`] : [];
  });
}

export function saveBaseline(file, mode, measured) {
  const baseline = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  baseline[mode] = Object.fromEntries(Object.entries(measured).map(([name, value]) => [name, Number(value.toFixed(3))]));
  writeFileSync(file, `${JSON.stringify(baseline, null, 2)}\n`);
}

export { round };
