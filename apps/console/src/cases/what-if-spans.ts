import type { Schemas } from '../gateway/schemas.js';
import type { Phase, Span } from '../timeline/call-times.js';

/** One course of a call on a time axis: until it started, or its approval ended, and its run. */
export function courseSpans(course: Schemas['DecidedCall'], requested_at: string | null): Span[] {
  const requested_ms = timeOf(requested_at);
  if (requested_ms === undefined) return [];
  const [approved_ms, started_ms, ended_ms] = [timeOf(course.approval?.ended_at), timeOf(course.started_at), timeOf(course.ended_at)];
  const before: Phase = course.approval ? 'waiting' : course.effect === 'defer' ? 'deferred' : 'deciding';
  const until_ms = started_ms ?? approved_ms ?? ended_ms;
  if (until_ms === undefined) return [{ phase: before, from_ms: requested_ms, to_ms: requested_ms }];
  const spans: Span[] = [{ phase: before, from_ms: requested_ms, to_ms: Math.max(requested_ms, until_ms) }];
  if (started_ms !== undefined) spans.push({ phase: 'running', from_ms: started_ms, to_ms: Math.max(started_ms, ended_ms ?? started_ms) });
  return spans;
}

function timeOf(text: string | null | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
