import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import type { HistoryLine } from './call-times.js';
import { delayOf, type LineGroup } from './history-groups.js';
import { lineFacts, lineWords } from './history-words.js';
import { offsetText } from './time-scale.js';
import './timeline.css';

/** What is known of a call besides its lines. */
export interface TimelineCall {
  summary?: string | null;
  status?: string;
}

interface TimelineProps {
  groups: readonly LineGroup[];
  /** By call id. */
  calls: ReadonlyMap<string, TimelineCall>;
}

/** What happened, call by call. */
export function Timeline({ groups, calls }: TimelineProps) {
  return (
    <ol class="timeline">
      {groups.map((group) => (
        <li key={group.key} class="timeline-group">
          {group.call_id === null ? (
            <Line line={group.lines[0] as HistoryLine} />
          ) : (
            <CallGroup group={group} call={calls.get(group.call_id)} call_id={group.call_id} />
          )}
        </li>
      ))}
    </ol>
  );
}

function CallGroup({ group, call, call_id }: { group: LineGroup; call: TimelineCall | undefined; call_id: string }) {
  return (
    <>
      <div class="timeline-head">
        <Link href={`/calls/${encodeURIComponent(call_id)}`} class="timeline-call">
          <InertText text={call?.summary ?? group.tool ?? call_id} characters_max={200} />
        </Link>
        {call?.status && <StatusBadge status={call.status} />}
        <RelativeTime at={group.first_at} />
      </div>
      <CallLines lines={group.lines} />
    </>
  );
}

/** The lines of one call, with the time since the first one. */
export function CallLines({ lines }: { lines: readonly HistoryLine[] }) {
  return (
    <ol class="timeline-lines">
      {lines.map((line) => (
        <li key={`${line.event_id} ${line.type}`}>
          <Line line={line} since={lines[0]?.at} />
        </li>
      ))}
    </ol>
  );
}

/** One line: what, who, why, and when. */
function Line({ line, since }: { line: HistoryLine; since?: string | undefined }) {
  const { text, tone } = lineWords(line);
  const delay_ms = delayOf(since, line.at);
  return (
    <div class={`timeline-line tone-${tone}`}>
      <span class="status-dot" aria-hidden="true" />
      <span class="timeline-what">
        {text}
        {lineFacts(line).map(({ label, text: value }) => (
          <span key={label} class="timeline-fact">
            <span class="faint">{label}</span> <InertText text={value} characters_max={240} />
          </span>
        ))}
      </span>
      {line.at &&
        (since === undefined || delay_ms === undefined ? (
          <RelativeTime at={line.at} />
        ) : (
          <time class="timeline-delay" dateTime={line.at} title={line.at}>
            {delay_ms === 0 ? '' : `+${offsetText(delay_ms)}`}
          </time>
        ))}
    </div>
  );
}
