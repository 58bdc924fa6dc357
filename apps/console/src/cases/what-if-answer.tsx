import { useMemo, useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { StatusBadge, Tag } from '../elements/status-badge.js';
import type { Schemas } from '../gateway/schemas.js';
import { Link } from '../navigation/link.js';
import { offsetText } from '../timeline/time-scale.js';
import { Waterfall } from '../timeline/waterfall.js';
import type { CaseCall } from './use-case-calls.js';
import { differenceWords, resultWords } from './what-if-changes.js';
import { courseSpans } from './what-if-spans.js';

type Answer = Schemas['CaseCounterfactual'];
type Comparison = Schemas['CallComparison'];
type Course = Schemas['DecidedCall'];

const SHOWN_MAX = 200;

/** What was, beside what would have been. */
export function WhatIfAnswer({ answer, calls }: { answer: Answer; calls: readonly CaseCall[] }) {
  const [is_all, setAll] = useState(false);
  const names = useMemo(() => new Map(calls.map(({ call_id, summary }) => [call_id, summary])), [calls]);
  const differing = answer.comparisons.filter(({ differences, unknown }) => differences.length > 0 || unknown.length > 0);
  const shown = is_all ? answer.comparisons : differing;
  return (
    <section class="what-if-answer" aria-label="Answer">
      <Summary answer={answer} />
      {differing.length > 0 && (
        <Waterfall label="As it was, and as it would have been" rows={courseRows(differing, names)} height_px={360} />
      )}
      {answer.comparisons.length > differing.length && (
        <button type="button" class="text-button" onClick={() => setAll(!is_all)}>
          {is_all ? 'Show only what differs' : `Show all ${answer.comparisons.length} calls`}
        </button>
      )}
      {shown.length > 0 && (
        <ul class="courses">
          {shown.slice(0, SHOWN_MAX).map((comparison) => (
            <CoursePair key={comparison.call_id} comparison={comparison} name={names.get(comparison.call_id) ?? comparison.tool} />
          ))}
        </ul>
      )}
      {shown.length > SHOWN_MAX && (
        <p class="soft">
          The first {SHOWN_MAX} of {shown.length}.
        </p>
      )}
      <Limits answer={answer} />
    </section>
  );
}

function Summary({ answer }: { answer: Answer }) {
  const changed = answer.calls - answer.unchanged;
  const counts = Object.entries(answer.counts).filter(([name]) => name !== 'status');
  return (
    <div class="stack-tight" role="status">
      <h3>
        {changed === 0
          ? `All ${answer.calls} calls would have gone the same way.`
          : `${changed} of ${answer.calls} calls would have gone another way.`}
      </h3>
      {counts.length > 0 && (
        <div class="row">
          {counts.map(([name, count]) => (
            <Tag key={name} tone="busy">{`${count} ${differenceWords(name)}`}</Tag>
          ))}
        </div>
      )}
      {answer.unknown > 0 && (
        <p class="notice notice-warn">
          {answer.unknown === 1 ? 'One call' : `${answer.unknown} calls`} cannot be known. The reason stands with each. A result is never
          made up.
        </p>
      )}
      {answer.not_on_record.length > 0 && (
        <p class="notice notice-warn">{answer.not_on_record.length} calls are no longer on the record and were left out.</p>
      )}
      {answer.refused_votes.map(({ approval_id, vote_id, reason }) => (
        <p key={vote_id} class="notice notice-warn">
          The vote on <code>{approval_id}</code> would not count: <InertText text={reason} characters_max={300} />
        </p>
      ))}
    </div>
  );
}

function Limits({ answer: { limits } }: { answer: Answer }) {
  if (limits.length === 0) return null;
  return (
    <div class="stack-tight">
      <h3>Limits</h3>
      <ul>
        {limits.slice(0, 50).map((trip) => (
          <li key={`${trip.limit_id} ${trip.call_id}`}>
            <InertText text={trip.limit_id} characters_max={80} mono /> refused{' '}
            <Link href={`/calls/${encodeURIComponent(trip.call_id)}`}>a call</Link>{' '}
            {trip.recorded && trip.counterfactual
              ? 'in both'
              : trip.recorded
                ? 'as it was, and would not have'
                : 'only as it would have been'}
            : {trip.used} used, {trip.asked} asked, {trip.max} allowed
          </li>
        ))}
      </ul>
    </div>
  );
}

function courseRows(comparisons: readonly Comparison[], names: ReadonlyMap<string | undefined, string | null | undefined>) {
  return comparisons.slice(0, SHOWN_MAX).flatMap(({ call_id, tool, requested_at, recorded, counterfactual }) => {
    const name = names.get(call_id) ?? tool;
    const was = { key: `${call_id} was`, name, status: recorded.status, spans: courseSpans(recorded, requested_at) };
    if (!counterfactual) return [was];
    const would = {
      key: `${call_id} if`,
      name: '↳ if',
      status: counterfactual.status,
      spans: courseSpans(counterfactual, requested_at),
      mark: 'as it would have been,',
    };
    return [was, would];
  });
}

function CoursePair({ comparison, name }: { comparison: Comparison; name: string }) {
  const { call_id, differences, unknown, assumed_unchanged, recorded, counterfactual, result, started_earlier_by_ms } = comparison;
  const shift = started_earlier_by_ms ?? 0;
  return (
    <li class={`course ${differences.length > 0 ? 'course-changed' : ''}`}>
      <div class="course-name">
        <Link href={`/calls/${encodeURIComponent(call_id)}`}>
          <InertText text={name} characters_max={160} />
        </Link>
        {differences
          .filter((difference) => difference !== 'status')
          .map((difference) => (
            <Tag key={difference} tone="busy">
              {difference.startsWith('started_')
                ? `${offsetText(Math.abs(shift))} ${differenceWords(difference)}`
                : differenceWords(difference)}
            </Tag>
          ))}
      </div>
      <Side title="As it was" course={recorded} />
      {counterfactual ? (
        <Side title="As it would have been" course={counterfactual} note={resultWords(result?.kind)} />
      ) : (
        <p class="course-side soft">It is left out.</p>
      )}
      {unknown.map(({ what, why, call_id: other }) => (
        <p key={`${what} ${why}`} class="course-name notice notice-warn">
          <span>
            The {what === 'ruling' ? 'decision' : 'result'} cannot be known: <InertText text={why} characters_max={300} />{' '}
            {other && <Link href={`/calls/${encodeURIComponent(other)}`}>that call</Link>}
          </span>
        </p>
      ))}
      {assumed_unchanged.length > 0 && (
        <p class="course-name faint">
          Assumed to be made all the same, although {assumed_unchanged.length} earlier calls of its run ended differently.
        </p>
      )}
    </li>
  );
}

function Side({ title, course, note }: { title: string; course: Course; note?: string | undefined }) {
  return (
    <div class="course-side">
      <span class="faint">{title}</span>
      <div class="row">
        <StatusBadge status={course.status} />
        <span class="soft">
          <InertText text={course.rule ?? ''} characters_max={80} mono />
        </span>
      </div>
      {course.approval && <div class="soft">Approval {course.approval.end}</div>}
      {course.reason && (
        <div class="soft">
          <InertText text={course.reason.message} characters_max={200} />
        </div>
      )}
      {note && <div class="faint">{note}</div>}
    </div>
  );
}
