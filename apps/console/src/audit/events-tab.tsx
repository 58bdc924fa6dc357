import { InertText } from '../elements/inert.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import type { Schemas } from '../gateway/schemas.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { ChoiceBar, ChoiceButton } from '../lists/choice-bar.js';
import { Link } from '../navigation/link.js';
import { useQueryState } from '../navigation/navigation.js';

type Event = Schemas['AuditEvent'];

const PAGE = 50;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Lists that auditors ask for; the last two have lists of their own on another screen. */
const SHOWN = [
  { value: '', label: 'Everything' },
  { value: 'audit_read', label: 'Audit reads' },
  { value: 'audit_event_exported', label: 'Exports' },
  { value: 'log_dropped', label: 'Drops' },
  { value: 'damage_accepted', label: 'Accepted damage' },
] as const;

const SPANS = [
  { value: '', label: '24 h', ms: DAY_MS },
  { value: '7d', label: '7 days', ms: 7 * DAY_MS },
  { value: '30d', label: '30 days', ms: 30 * DAY_MS },
  { value: 'all', label: 'All', ms: undefined },
] as const;

const COLUMNS: readonly Column<Event>[] = [
  { id: 'type', title: 'Event', cell: ({ type }) => <InertText text={type.replaceAll('_', ' ')} />, width: 'minmax(0, 1.4fr)' },
  {
    id: 'who',
    title: 'Who',
    cell: ({ actor, caller }) => <InertText text={actor ?? caller ?? 'the platform'} />,
    width: 'minmax(0, 1.2fr)',
  },
  { id: 'about', title: 'About', cell: (event) => <About event={event} />, is_wide_only: true, width: 'minmax(0, 1.4fr)' },
  {
    id: 'place',
    title: 'Position',
    cell: ({ topic, partition, offset }) => <InertText text={`${topic}/${partition}/${offset}`} mono />,
    is_wide_only: true,
    width: 'minmax(0, 1.4fr)',
  },
  { id: 'at', title: 'When', cell: ({ recorded_at }) => <RelativeTime at={recorded_at} />, width: '100px', align: 'end' },
];

function About({ event: { tool, call_id, case_id, refused_because } }: { event: Event }) {
  const text = tool ?? call_id ?? case_id;
  if (refused_because) return <span class="soft">took no effect: its base had changed</span>;
  return text ? <InertText text={text} /> : <span class="faint">–</span>;
}

/** What is on the record, oldest first. Reading it is recorded, so that it is read on request only. */
export function EventsTab({ opened_ms }: { opened_ms: number }) {
  const [type, setType] = useQueryState('type');
  const [span, setSpan] = useQueryState('span');
  const { ms } = SPANS.find(({ value }) => value === span) ?? SPANS[0];
  const filter = {
    ...(SHOWN.some(({ value }) => value === type) && type !== '' ? { type } : {}),
    ...(ms === undefined ? {} : { from: new Date(opened_ms - ms).toISOString() }),
  };
  const list = useInfinite<Event>({
    kind: 'other',
    key: ['audit-events', JSON.stringify(filter)],
    keep: true,
    read: (api, cursor, signal) =>
      api.GET('/v1/audit/events', { params: { query: { ...filter, limit: PAGE, ...(cursor ? { cursor } : {}) } }, signal }),
  });
  return (
    <div class="audit-stack">
      <div class="audit-filters">
        <ChoiceBar label="Show">
          {SHOWN.map(({ value, label }) => (
            <ChoiceButton key={value} is_pressed={type === value} onPress={() => setType(value)}>
              {label}
            </ChoiceButton>
          ))}
        </ChoiceBar>
        <ChoiceBar label="Time">
          {SPANS.map(({ value, label }) => (
            <ChoiceButton key={value} is_pressed={span === value} onPress={() => setSpan(value)}>
              {label}
            </ChoiceButton>
          ))}
        </ChoiceBar>
      </div>
      <p class="soft">
        Oldest first. A row verifies the record. Each reading of this list is itself on the record. Security events and damages are listed
        under <Link href="/health">Health</Link>.
      </p>
      {list.is_loading && <Skeleton lines={8} label="Reading the record" />}
      {!list.items && list.problem && <ErrorState problem={list.problem} retry={list.refresh} />}
      {list.items?.length === 0 && <NoEvents more={list.has_more ? list.more : undefined} />}
      {list.items && list.items.length > 0 && (
        <Table
          label="Audit events"
          columns={COLUMNS}
          items={list.items}
          keyOf={({ event_id, topic, partition, offset }) => `${event_id} ${topic}/${partition}/${offset}`}
          hrefOf={({ topic, partition, offset }) => `/audit?record=${encodeURIComponent(`${topic}/${partition}/${offset}`)}`}
          more={list}
        />
      )}
    </div>
  );
}

function NoEvents({ more }: { more: (() => void) | undefined }) {
  return (
    <EmptyState icon="audit" title={more ? 'None so far' : 'No such event in this time'}>
      {more ? (
        <p>
          <button type="button" class="text-button" onClick={more}>
            Read on
          </button>
        </p>
      ) : (
        <p>Choose a longer time, or everything.</p>
      )}
    </EmptyState>
  );
}
