const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: readonly [ms: number, name: string][] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
];

/** `in 3 min`, `2 h ago`, `just now`; a date for what is a month away. */
export function relativeTime(at_ms: number, now_ms: number): string {
  const distance_ms = at_ms - now_ms;
  const size_ms = Math.abs(distance_ms);
  if (size_ms >= 30 * DAY) return new Date(at_ms).toISOString().slice(0, 10);
  if (size_ms < 5 * SECOND) return 'just now';
  const text = duration(size_ms);
  return distance_ms > 0 ? `in ${text}` : `${text} ago`;
}

/** A length of time in its largest unit, whole: `45 s`, `3 min`, `2 h`, `5 d`. */
export function duration(ms: number): string {
  for (const [unit_ms, name] of UNITS) if (ms >= unit_ms) return `${Math.floor(ms / unit_ms)} ${name}`;
  return `${Math.max(0, Math.round(ms))} ms`;
}

/** A length of time in its two largest units, for what counts down: `1 h 05 min`, `4 min 09 s`. */
export function countdown(ms: number): string {
  const left_ms = Math.max(0, ms);
  const at = UNITS.findIndex(([unit_ms]) => left_ms >= unit_ms);
  if (at < 0) return '0 s';
  const [unit_ms, name] = UNITS[at] as [number, string];
  const next = UNITS[at + 1];
  const first = `${Math.floor(left_ms / unit_ms)} ${name}`;
  if (!next) return first;
  return `${first} ${String(Math.floor((left_ms % unit_ms) / next[0])).padStart(2, '0')} ${next[1]}`;
}

/** The exact time where the reader is, with the zone: what stands behind a relative one. */
export function exactTime(at_ms: number): string {
  return new Date(at_ms).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
}
