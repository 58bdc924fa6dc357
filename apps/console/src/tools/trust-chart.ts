import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

const HEIGHT_PX = 160;

/** Draws scores from 0 to 1 over time into an element. Returns how to end it. */
export function drawTrust(place: HTMLElement, points: readonly { at: string; score: number | null }[]): () => void {
  const style = getComputedStyle(place);
  const line = style.getPropertyValue('--accent').trim();
  const faint = style.getPropertyValue('--line').trim();
  const text = style.getPropertyValue('--text-soft').trim();
  const axis = { stroke: text, font: `12px ${style.fontFamily}`, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1 } };
  const plot = new uPlot(
    {
      width: Math.max(place.clientWidth, 200),
      height: HEIGHT_PX,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: [0, 1] } },
      series: [{}, { stroke: line, width: 2, points: { show: true, size: 5, fill: line } }],
      axes: [axis, { ...axis, size: 40 }],
    },
    [points.map(({ at }) => Date.parse(at) / 1000), points.map(({ score }) => score)],
    place,
  );
  const watch = new ResizeObserver(() => plot.setSize({ width: Math.max(place.clientWidth, 200), height: HEIGHT_PX }));
  watch.observe(place);
  return () => {
    watch.disconnect();
    plot.destroy();
  };
}
