import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type PlotSpec, stacked } from './plot-spec.js';

const HEIGHT_PX = 200;
const WIDTH_PX_MIN = 200;
const DAY_S = 86_400;
/** Labels of the time axis begin on days, so that no label stands for an hour. */
const DAY_STEPS_S = [1, 2, 4, 7, 14, 28, 61, 91, 182].map((days) => days * DAY_S);
const COUNT_STEPS = [1, 2, 5].flatMap((step) => Array.from({ length: 9 }, (_, power) => step * 10 ** power)).sort((a, b) => a - b);

const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Draws a chart into an element, in the colours of its theme. `onHover`: the time under the pointer. Returns how to end it. */
export function drawPlot(place: HTMLElement, spec: PlotSpec, onHover: (at: number | undefined) => void): () => void {
  const plot = new uPlot(optionsOf(place, spec, onHover), dataOf(spec), place);
  const watch = new ResizeObserver(() => plot.setSize({ width: Math.max(place.clientWidth, WIDTH_PX_MIN), height: HEIGHT_PX }));
  watch.observe(place);
  return () => {
    watch.disconnect();
    plot.destroy();
  };
}

/** Bars: the highest layer is drawn first, so that each layer below covers its lower part. */
function dataOf({ kind, times_s, series }: PlotSpec): uPlot.AlignedData {
  const layers = kind === 'bars' ? stacked(series).reverse() : series.map(({ values }) => [...values]);
  return [[...times_s], ...layers];
}

function optionsOf(place: HTMLElement, spec: PlotSpec, onHover: (at: number | undefined) => void): uPlot.Options {
  const { kind, times_s, step_s } = spec;
  const first_s = times_s[0] ?? 0;
  const last_s = times_s.at(-1) ?? first_s;
  const margin_s = kind === 'bars' ? step_s / 2 : 0;
  return {
    width: Math.max(place.clientWidth, WIDTH_PX_MIN),
    height: HEIGHT_PX,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      x: { time: true, range: [first_s - margin_s, last_s + margin_s || first_s + DAY_S] },
      y: { range: (_, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    series: [{}, ...seriesOf(place, spec)],
    axes: axesOf(place, spec),
    hooks: { setCursor: [({ cursor: { idx } }) => onHover(idx ?? undefined)] },
  };
}

function seriesOf(place: HTMLElement, { kind, series }: PlotSpec): uPlot.Series[] {
  const style = getComputedStyle(place);
  const colourOf = (name: string) => style.getPropertyValue(name).trim();
  if (kind === 'lines')
    return series.map(({ label, colour, values }) => {
      const is_sparse = values.filter((value) => value !== null).length < 3;
      const stroke = colourOf(colour);
      return { label, stroke, width: 2, spanGaps: true, points: { show: is_sparse, size: 6, fill: stroke } };
    });
  const paths = uPlot.paths.bars?.({ size: [0.72, 36], radius: [0.12, 0] }) as uPlot.Series.PathBuilder;
  return series.map(({ label, colour }) => ({ label, paths, fill: colourOf(colour), width: 0, points: { show: false } })).reverse();
}

function axesOf(place: HTMLElement, { axisText, is_integer }: PlotSpec): uPlot.Axis[] {
  const style = getComputedStyle(place);
  const line = { stroke: style.getPropertyValue('--line').trim(), width: 1 };
  const axis: uPlot.Axis = { stroke: style.getPropertyValue('--text-soft').trim(), font: `12px ${style.fontFamily}` };
  return [
    {
      ...axis,
      grid: { show: false },
      ticks: { ...line, size: 4 },
      size: 30,
      space: 64,
      incrs: DAY_STEPS_S,
      values: (_, splits) => splits.map((seconds) => shortDay.format(seconds * 1000)),
    },
    {
      ...axis,
      grid: line,
      ticks: { show: false },
      size: 56,
      gap: 8,
      space: 40,
      ...(is_integer ? { incrs: COUNT_STEPS } : {}),
      values: (_, splits) => splits.map(axisText),
    },
  ];
}
