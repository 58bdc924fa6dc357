import { TimeScale } from './time-scale.js';
import type { WaterfallRow } from './waterfall-row.js';

/** The share of the axis that is left for what goes on. */
const OPEN_SHARE = 0.15;
/** What goes on for longer than this many times the rest is cut: otherwise the rest would be a line. */
const STRETCH_MAX = 2;

/** The axis of all rows. One call that waits for days does not hide what the others did in seconds. */
export function scaleOf(rows: readonly WaterfallRow[]): TimeScale {
  let [from_ms, closed_ms, to_ms] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { spans } of rows)
    for (const span of spans) {
      from_ms = Math.min(from_ms, span.from_ms);
      closed_ms = Math.max(closed_ms, span.is_open ? span.from_ms : span.to_ms);
      to_ms = Math.max(to_ms, span.to_ms);
    }
  if (!Number.isFinite(from_ms)) return new TimeScale(0, 0);
  const length_ms = Math.max(closed_ms - from_ms, 1);
  const is_cut = rows.length > 1 && to_ms - from_ms > STRETCH_MAX * length_ms;
  return new TimeScale(from_ms, is_cut ? closed_ms + OPEN_SHARE * length_ms : to_ms);
}
