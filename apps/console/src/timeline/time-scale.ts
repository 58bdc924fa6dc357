/** A part of time on a line: from 0 at its begin to 1 at its end. */
export class TimeScale {
  readonly from_ms: number;
  readonly to_ms: number;

  /** A scale has a length, also where everything happened at once. */
  constructor(from_ms: number, to_ms: number) {
    this.from_ms = from_ms;
    this.to_ms = Math.max(to_ms, from_ms + 10);
  }

  get length_ms(): number {
    return this.to_ms - this.from_ms;
  }

  /** Where a time is, as a share of the line. */
  share(at_ms: number): number {
    return Math.min(1, Math.max(0, (at_ms - this.from_ms) / this.length_ms));
  }
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((ms) => ms),
  ...[1, 2, 5, 10, 15, 30].map((s) => s * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((min) => min * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((h) => h * HOUR_MS),
  ...[1, 2, 7, 14, 30, 90, 365].map((d) => d * DAY_MS),
];

export interface Tick {
  at_ms: number;
  /** Since the begin of the scale. */
  label: string;
}

/** At most `count` marks at whole steps since the begin. */
export function ticksOf(scale: TimeScale, count: number): Tick[] {
  const step_ms = STEPS_MS.find((each_ms) => scale.length_ms / each_ms <= count) ?? 365 * DAY_MS;
  const ticks: Tick[] = [];
  for (let after_ms = 0; after_ms <= scale.length_ms && ticks.length <= count; after_ms += step_ms)
    ticks.push({ at_ms: scale.from_ms + after_ms, label: offsetText(after_ms) });
  return ticks;
}

/** A length of time in its two largest units that are not zero: `0`, `250 ms`, `1.5 s`, `2 min 5 s`, `3 d 4 h`. */
export function offsetText(ms: number): string {
  if (ms === 0) return '0';
  if (ms < SECOND_MS) return `${Math.max(1, Math.round(ms))} ms`;
  if (ms < 10 * SECOND_MS) return `${Number((ms / SECOND_MS).toFixed(1))} s`;
  if (ms < MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return two(ms, MINUTE_MS, 'min', SECOND_MS, 's');
  return ms < DAY_MS ? two(ms, HOUR_MS, 'h', MINUTE_MS, 'min') : two(ms, DAY_MS, 'd', HOUR_MS, 'h');
}

function two(ms: number, large_ms: number, large: string, small_ms: number, small: string): string {
  const rest = Math.floor((ms % large_ms) / small_ms);
  return `${Math.floor(ms / large_ms)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}
