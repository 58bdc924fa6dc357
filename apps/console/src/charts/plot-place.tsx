import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlotSpec } from './plot-spec.js';

/** The number of the present theme: it changes when another theme is shown. */
function useThemeChange(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const watch = new MutationObserver(() => setChanges((count) => count + 1));
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => watch.disconnect();
  }, []);
  return changes;
}

/** The canvas of a chart. Its script is loaded when it is first needed; those who do not see it have the table beside it. */
export function PlotPlace({ spec, onHover }: { spec: PlotSpec; onHover: (at: number | undefined) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const hover = useRef(onHover);
  hover.current = onHover;
  const [is_failed, setFailed] = useState(false);
  const theme = useThemeChange();
  useEffect(() => {
    let end: (() => void) | undefined;
    let is_gone = false;
    import('./plot.js').then(
      ({ drawPlot }) => {
        if (!is_gone && place.current) end = drawPlot(place.current, spec, (at) => hover.current(at));
      },
      () => setFailed(true),
    );
    return () => {
      is_gone = true;
      end?.();
    };
  }, [spec, theme]);
  if (is_failed) return <p class="soft">The chart could not be loaded. The table has the same numbers.</p>;
  return <div ref={place} class="plot-place" aria-hidden="true" />;
}
