import type { Schemas } from '../gateway/schemas.js';

/** What a line of a case's history says without inputs and results. */
export type HistoryLine = Schemas['CaseHistoryLine'];

/** The members of a call that its times come from. */
export type TimedCall = Pick<Schemas['CallListItem'], 'status' | 'requested_at' | 'started_at' | 'ended_at' | 'approval' | 'deduplicated'>;

/** What a call did in a span of time. */
export type Phase = 'deciding' | 'deferred' | 'waiting' | 'queued' | 'running' | 'doubt';

export interface Span {
  phase: Phase;
  from_ms: number;
  to_ms: number;
  /** It goes on. */
  is_open?: true;
}

export const PHASES: Readonly<Record<Phase, string>> = {
  deciding: 'Deciding',
  deferred: 'Held back',
  waiting: 'Waiting for a person',
  queued: 'Queued',
  running: 'Running',
  doubt: 'In doubt',
};

/** A moment at which a phase begins; `end`: the call has ended. */
interface Mark {
  at_ms: number;
  begins: Phase | 'end';
}

const ENDED = new Set(['succeeded', 'failed', 'denied', 'expired', 'cancelled', 'compensated', 'compensation_failed']);
const RAN = new Set(['running', 'succeeded', 'in_doubt', 'compensated', 'compensation_failed']);

/** How a call spent its time: from its envelope and, for what that does not have, the lines of its history. `now_ms` ends what goes on. */
export function callSpans(call: TimedCall, lines: readonly HistoryLine[], now_ms: number): Span[] {
  const marks = marksOf(call, lines);
  const spans: Span[] = [];
  for (const [at, mark] of marks.entries()) {
    if (mark.begins === 'end') break;
    const next = marks[at + 1];
    const to_ms = next ? next.at_ms : Math.max(now_ms, mark.at_ms);
    const last = spans.at(-1);
    if (last?.phase === mark.begins) last.to_ms = to_ms;
    else spans.push({ phase: mark.begins, from_ms: mark.at_ms, to_ms });
    if (!next) (spans.at(-1) as Span).is_open = true;
  }
  return spans;
}

/**
 * The marks of a call in the order of time. An answer by an earlier call carries the times of that call: marks before the request are
 * left out. A call that has ended has an end, at the latest mark if its own is not known.
 */
function marksOf(call: TimedCall, lines: readonly HistoryLine[]): Mark[] {
  const requested_ms = Date.parse(call.requested_at ?? '');
  const marks = [...envelopeMarks(call), ...lines.flatMap(lineMarks)]
    .filter(({ at_ms }) => !(at_ms < requested_ms))
    .sort((a, b) => a.at_ms - b.at_ms || order(a) - order(b));
  const last = marks.at(-1);
  if (last && ENDED.has(call.status ?? '') && !marks.some(({ begins }) => begins === 'end'))
    marks.push({ at_ms: last.at_ms, begins: 'end' });
  return marks;
}

/** Of marks at one time the end comes last. */
const order = ({ begins }: Mark): number => (begins === 'end' ? 1 : 0);

function envelopeMarks(call: TimedCall): Mark[] {
  const marks: (Mark | undefined)[] = [markAt(call.requested_at, 'deciding')];
  const { approval } = call;
  if (approval) {
    marks.push(markAt(approval.requested_at, 'waiting'));
    if (approval.decided_at) marks.push(markAt(approval.decided_at, approval.status === 'granted' ? 'queued' : 'end'));
  }
  if (hasRun(call)) marks.push(markAt(call.started_at, 'running'));
  if (call.status === 'in_doubt') marks.push(markAt(call.ended_at, 'doubt'));
  else if (ENDED.has(call.status ?? '')) marks.push(markAt(call.ended_at, 'end'));
  return marks.filter((mark) => mark !== undefined);
}

/** `started_at` of a call that never ran is the time of its request. */
function hasRun({ status, started_at, requested_at, deduplicated }: TimedCall): boolean {
  if (!started_at || deduplicated || status === undefined) return false;
  if (status === 'running' || started_at !== requested_at) return RAN.has(status) || status === 'failed' || status === 'cancelled';
  return RAN.has(status);
}

function lineMarks({ type, at, decision }: HistoryLine): Mark[] {
  const begins = type === 'policy_decided' ? afterDecision(decision?.effect) : type === undefined ? undefined : AFTER[type];
  const mark = begins && markAt(at, begins);
  return mark ? [mark] : [];
}

const AFTER: Partial<Record<NonNullable<HistoryLine['type']>, Phase | 'end'>> = {
  tool_call_pending_approval: 'waiting',
  approval_granted: 'queued',
  tool_call_rejudged: 'deciding',
  tool_call_in_doubt: 'doubt',
  tool_retry_deduplicated: 'end',
};

function afterDecision(effect: string | undefined): Phase | undefined {
  if (effect === 'allow') return 'queued';
  if (effect === 'defer') return 'deferred';
  return effect === 'require_approval' ? 'waiting' : undefined;
}

function markAt(text: string | null | undefined, begins: Mark['begins']): Mark | undefined {
  const at_ms = Date.parse(text ?? '');
  return Number.isNaN(at_ms) ? undefined : { at_ms, begins };
}
