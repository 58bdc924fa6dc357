/** One line or one part of the bars. */
export interface PlotSeries {
  label: string;
  /** A custom property of tokens.css: `--chart-1`. */
  colour: string;
  /** One value for each time; null: none is known. */
  values: readonly (number | null)[];
}

/** What a chart shows. */
export interface PlotSpec {
  kind: 'bars' | 'lines';
  /** Seconds since 1970, ascending, at equal distances. */
  times_s: readonly number[];
  /** Distance of two times. */
  step_s: number;
  /** Bars stand on each other in this order, the first at the bottom. */
  series: readonly PlotSeries[];
  /** A number with its unit, as short as the axis needs it. */
  axisText: (value: number) => string;
  is_integer: boolean;
}

/** Each series on top of those before it: a bar that begins at 0 and is drawn first is partly covered by the next. */
export function stacked(series: readonly PlotSeries[]): number[][] {
  const layers: number[][] = [];
  for (const { values } of series) {
    const below = layers.at(-1);
    layers.push(values.map((value, at) => (below?.[at] ?? 0) + (value ?? 0)));
  }
  return layers;
}
