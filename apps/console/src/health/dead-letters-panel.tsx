import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { InertText } from '../elements/inert.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import { ListPanel } from './list-panel.js';
import { type DeadLetter, OPERATORS, type useDeadLetters } from './lists.js';

const placeOf = ({ topic, partition, offset }: DeadLetter): string => `${topic}/${partition}/${offset}`;

const columns = (look: (letter: DeadLetter) => void): readonly Column<DeadLetter>[] => [
  { id: 'place', title: 'Record', cell: (letter) => <InertText text={placeOf(letter)} mono /> },
  { id: 'consumer', title: 'Consumer', cell: ({ consumer }) => <InertText text={consumer} />, width: '120px' },
  { id: 'cause', title: 'Cause', cell: ({ cause }) => <InertText text={cause} />, width: 'minmax(0, 1.6fr)', is_wide_only: true },
  {
    id: 'at',
    title: 'Set aside',
    cell: ({ dead_lettered_at }) => <RelativeTime at={dead_lettered_at} />,
    width: '100px',
    align: 'end',
  },
  {
    id: 'look',
    title: '',
    cell: (letter) => (
      <Button class="health-look" onClick={() => look(letter)}>
        Look
      </Button>
    ),
    width: '72px',
    align: 'end',
  },
];

export function DeadLettersPanel({ list }: { list: ReturnType<typeof useDeadLetters> }) {
  const [shown, show] = useState<DeadLetter>();
  return (
    <ListPanel
      id="dead-letters"
      title="Dead letters"
      about="Records that a consumer could not handle. They were set aside, and the others went on."
      roles={OPERATORS}
      list={list}
      empty="No record was set aside"
      actions={<a href="/docs/how-to/dead-letters">About dead letters</a>}
    >
      {(items) => (
        <>
          <Table label="Dead letters" columns={columns(show)} items={items} keyOf={(item) => placeOf(item) + item.consumer} more={list} />
          {shown && <Look letter={shown} onClose={() => show(undefined)} />}
        </>
      )}
    </ListPanel>
  );
}

function Look({ letter, onClose }: { letter: DeadLetter; onClose: () => void }) {
  const { consumer, cause, call_id, event_id, value_bytes, dead_lettered_at } = letter;
  return (
    <Dialog title="Dead letter" onClose={onClose}>
      <dl class="health-facts">
        <dt>Record</dt>
        <dd>
          <InertText text={placeOf(letter)} mono />
        </dd>
        <dt>Consumer</dt>
        <dd>
          <InertText text={consumer} />
        </dd>
        <dt>Cause</dt>
        <dd>
          <InertText text={cause} look="block" />
        </dd>
        <dt>Call</dt>
        <dd>{call_id ? <Link href={pathTo('/calls/:id', { id: call_id })}>{call_id}</Link> : 'of no call'}</dd>
        <dt>Event</dt>
        <dd>{event_id ? <InertText text={event_id} mono /> : 'the record could not be decoded'}</dd>
        <dt>Length</dt>
        <dd>{value_bytes.toLocaleString('en')} bytes</dd>
        <dt>Set aside</dt>
        <dd>
          <RelativeTime at={dead_lettered_at} />
        </dd>
      </dl>
      <p class="soft">The API has no way to send it again. Correct the cause, then rebuild the projection or repeat the call.</p>
    </Dialog>
  );
}
