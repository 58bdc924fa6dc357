import type { EventType } from '@countersign/contracts';
import type { PlacedEvent } from '../call/evolve.js';
import { placeOf, RecordedCourse, revisionOf } from './recorded-course.js';

type At<T extends EventType> = Extract<PlacedEvent, { event_type: T }>;

/** What must be among the records of a call because one of them is: what is missing, in words; undefined: nothing. */
type Needs<T extends EventType> = (at: At<T>, course: RecordedCourse) => string | undefined;

const unless = (holds: boolean, missing: string): string | undefined => (holds ? undefined : missing);

const isAsked = ({ approval_id }: { approval_id: string }, course: RecordedCourse): string | undefined =>
  unless(course.has(`asked ${approval_id}`) || course.has(`joined ${approval_id}`), `the request for approval ${approval_id}`);

const isStarted = (at: PlacedEvent, course: RecordedCourse): string | undefined =>
  unless(course.is_read_only || course.hasBefore('tool_call_started', at), 'a start before it');

const mayStart = ({ event }: At<'tool_call_started'>, course: RecordedCourse): string | undefined =>
  unless(event.revision === 0 || course.mayRun(event.revision), `the ruling or grant of revision ${event.revision} that lets the call run`);

/** The votes of a grant: each was cast, and each but the last was counted before. A call that joined has them on the call that it joined. */
function votesOf({ event }: At<'approval_granted'>, course: RecordedCourse): string | undefined {
  if (event.joined_call_id !== null) return undefined;
  const uncast = event.votes.findIndex(({ vote_id }) => !course.has(`vote ${vote_id}`));
  if (uncast >= 0) return `vote ${uncast + 1} of ${event.votes.length}, by ${event.votes[uncast]?.voter_id}`;
  const uncounted = event.votes.slice(0, -1).findIndex(({ vote_id }) => !course.has(`counted ${vote_id}`));
  return unless(uncounted < 0, `the count of vote ${uncounted + 1} of ${event.votes.length}`);
}

function escalatedFrom({ event: { approval_id, rule, level } }: At<'approval_escalated'>, course: RecordedCourse): string | undefined {
  return unless(
    level <= 1 || course.hasLevel(approval_id, rule, level - 1),
    `the escalation to group ${level - 1} of approval ${approval_id}`,
  );
}

/** The course of a call as its records must show it, whichever release wrote them: for each event, what comes before it. */
const TABLE: { readonly [T in EventType]?: readonly Needs<T>[] } = {
  policy_decided: [
    ({ event: { effect, approval_id, joined_call_id } }, course) =>
      effect === 'require_approval' && joined_call_id === null && approval_id !== null ? isAsked({ approval_id }, course) : undefined,
  ],
  approval_vote_counted: [
    ({ event }, course) => isAsked(event, course),
    ({ event }, course) => unless(course.has(`vote ${event.vote_id}`), `the vote that it counts, by ${event.counted.voter_id}`),
  ],
  approval_vote_refused: [({ event }, course) => unless(course.has(`vote ${event.vote_id}`), 'the vote that it refuses')],
  approval_granted: [({ event }, course) => (event.joined_call_id === null ? isAsked(event, course) : undefined), votesOf],
  approval_denied: [({ event }, course) => isAsked(event, course)],
  approval_expired: [({ event }, course) => isAsked(event, course)],
  approval_escalated: [({ event }, course) => isAsked(event, course), escalatedFrom],
  tool_call_started: [mayStart],
  tool_executed: [(at, course) => (at.event.outcome.effect === 'happened' ? isStarted(at, course) : undefined)],
  tool_call_in_doubt: [isStarted],
  tool_call_resolved: [(at, course) => unless(course.hasBefore('tool_call_in_doubt', at), 'the doubt that it resolves')],
};

/** Topics of which a bundle has every record of a call; it has no others of them. */
const CALL_TOPIC = /^(tool-call-requested|policy-decided|approval-voted|approval-granted|tool-executed)(\.|$)/;

/** The record that this one answers. That of a call which joined another may belong to the other one. */
function answered(at: PlacedEvent, course: RecordedCourse): string | undefined {
  const source = 'source' in at.event ? at.event.source : null;
  if (!source || source.offset < 0 || course.has_joined || !CALL_TOPIC.test(source.topic)) return undefined;
  const place = placeOf({ ...source, partition: at.event.meta.partition });
  return unless(course.hasPlace(place), `the record ${place}, which it answers`);
}

function needed(at: PlacedEvent, course: RecordedCourse): string[] {
  const own = (TABLE[at.event_type] ?? []) as readonly Needs<EventType>[];
  return [...own.map((needs) => needs(at as never, course)), answered(at, course)].flatMap((missing) => missing ?? []);
}

/** A record may name any number. */
const SHOWN_MAX = 20;

/** Revisions without a ruling, from 1 to the highest that a record names. */
function unruled(course: RecordedCourse): string[] {
  const missing: string[] = [];
  for (let revision = 1; revision <= course.revision && missing.length < SHOWN_MAX; revision++) {
    if (course.hasRuling(revision)) continue;
    const at = course.events.find((one) => revisionOf(one) >= revision) as PlacedEvent;
    missing.push(`ruling ${revision} of ${course.revision} is missing: ${at.event_type} ${placeOf(at)} follows from it`);
  }
  return missing;
}

/** What is missing between the records of one call, in words; empty: each record has what it follows from. Later records may be missing. */
export function gapsBetween(events: readonly PlacedEvent[]): string[] {
  const course = new RecordedCourse(events);
  const gaps = events.flatMap((at) =>
    needed(at, course).map((missing) => `${missing} is missing: ${at.event_type} ${placeOf(at)} follows from it`),
  );
  return [...new Set([...unruled(course), ...gaps])];
}
