import { countdown, duration } from '../elements/relative-time.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** `urgent`: look now; `soon`: within the hour; `over`: the deadline has passed. */
export type Urgency = 'calm' | 'soon' | 'urgent' | 'over';

/** How urgent a deadline is. A request that has little time from the start is urgent only in its last quarter. */
export function urgencyOf(expires_at_ms: number, requested_at_ms: number, now_ms: number): Urgency {
  const left_ms = expires_at_ms - now_ms;
  if (left_ms <= 0) return 'over';
  const whole_ms = Math.max(1, expires_at_ms - requested_at_ms);
  if (left_ms <= Math.min(10 * MINUTE, whole_ms / 4)) return 'urgent';
  return left_ms <= Math.min(HOUR, whole_ms / 2) ? 'soon' : 'calm';
}

/** `23 h`, and below an hour to the second: `9 min 05 s`. */
export function timeLeftText(expires_at_ms: number, now_ms: number): string {
  const left_ms = expires_at_ms - now_ms;
  if (!Number.isFinite(left_ms)) return 'unknown';
  if (left_ms <= 0) return 'overdue';
  return left_ms < HOUR ? countdown(left_ms) : left_ms < 48 * HOUR ? countdown(left_ms).replace(/ min$/, ' min') : duration(left_ms);
}
