import { useId, useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { PlotPlace } from './plot-place.js';
import type { PlotSpec } from './plot-spec.js';
import './chart.css';

interface ChartProps {
  title: string;
  /** What the chart says, in words. */
  summary: string;
  spec: PlotSpec;
  /** Names of the times: `12 Nov`, `week of 12 Nov`. */
  time_names: readonly string[];
  /** A number with its unit, exactly. */
  valueText: (value: number) => string;
  /** Below the numbers, in the table: whether they add up. */
  has_sum: boolean;
}

/** A chart with what it says in words, its legend with the numbers under the pointer, and the same numbers as a table. */
export function Chart({ title, summary, spec, time_names, valueText, has_sum }: ChartProps) {
  const id = useId();
  const [at, setAt] = useState<number>();
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption>
        <h2 id={id}>{title}</h2>
        <p class="soft">{summary}</p>
      </figcaption>
      <Legend spec={spec} at={at} time={at === undefined ? undefined : time_names[at]} valueText={valueText} />
      <PlotPlace spec={spec} onHover={setAt} />
      <details class="chart-numbers">
        <summary>As a table</summary>
        <NumbersTable title={title} spec={spec} time_names={time_names} valueText={valueText} has_sum={has_sum} />
      </details>
    </figure>
  );
}

type LegendProps = Pick<ChartProps, 'spec' | 'valueText'> & { at: number | undefined; time: string | undefined };

function Legend({ spec, at, time, valueText }: LegendProps) {
  return (
    <ul class="chart-legend">
      {spec.series.map(({ label, colour, values }) => {
        const value = at === undefined ? undefined : values[at];
        return (
          <li key={label}>
            <span class="chart-swatch" style={{ background: `var(${colour})` }} aria-hidden="true" />
            <InertText text={label} characters_max={60} />
            {value != null && <strong>{valueText(value)}</strong>}
          </li>
        );
      })}
      <li class="chart-time faint">{time ?? ''}</li>
    </ul>
  );
}

function NumbersTable({ title, spec, time_names, valueText, has_sum }: Omit<ChartProps, 'summary'>) {
  const textOf = (value: number | null | undefined) => (value == null ? '–' : valueText(value));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys, too
    <div class="chart-scroll" role="region" aria-label={`${title}, as a table`} tabIndex={0}>
      <table class="chart-table">
        <caption class="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">When (UTC)</th>
            {spec.series.map(({ label }) => (
              <th key={label} scope="col">
                <InertText text={label} characters_max={60} />
              </th>
            ))}
            {has_sum && <th scope="col">All</th>}
          </tr>
        </thead>
        <tbody>
          {time_names.map((name, at) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {spec.series.map(({ label, values }) => (
                <td key={label}>{textOf(values[at])}</td>
              ))}
              {has_sum && <td>{textOf(spec.series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
