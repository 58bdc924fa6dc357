import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import { ListPanel } from './list-panel.js';
import { type DeadLetter, OPERATORS, type useDeadLetters } from './lists.js';
import { RequeueDialog } from './requeue-dialog.js';

const placeOf = ({ topic, partition, offset }: DeadLetter): string => `${topic}/${partition}/${offset}`;

const columns = (look: (letter: DeadLetter) => void): readonly Column<DeadLetter>[] => [
  { id: 'place', title: 'Record', cell: (letter) => <InertText text={placeOf(letter)} mono /> },
  { id: 'consumer', title: 'Consumer', cell: ({ consumer }) => <InertText text={consumer} />, width: '120px' },
  { id: 'cause', title: 'Cause', cell: ({ cause }) => <InertText text={cause} />, width: 'minmax(0, 1.6fr)', is_wide_only: true },
  {
    id: 'state',
    title: 'State',
    cell: ({ requeue }) =>
      requeue ? (
        <StatusBadge status="requeued" word="Requeued" tone="neutral" />
      ) : (
        <StatusBadge status="set_aside" word="Set aside" tone="bad" />
      ),
    width: '110px',
  },
  {
    id: 'at',
    title: 'Since',
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
  const [requeued, requeue] = useState<DeadLetter>();
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
          <Table label="Dead letters" columns={columns(show)} items={items} keyOf={({ letter_id }) => letter_id} more={list} />
          {shown && (
            <Look
              letter={items.find(({ letter_id }) => letter_id === shown.letter_id) ?? shown}
              onRequeue={() => {
                requeue(shown);
                show(undefined);
              }}
              onClose={() => show(undefined)}
            />
          )}
          {requeued && <RequeueDialog letter={requeued} place={placeOf(requeued)} onClose={() => requeue(undefined)} />}
        </>
      )}
    </ListPanel>
  );
}

function Look({ letter, onRequeue, onClose }: { letter: DeadLetter; onRequeue: () => void; onClose: () => void }) {
  const { consumer, cause, call_id, event_id, value_bytes, dead_lettered_at, requeue, requeue_refusal } = letter;
  const actions = !requeue && requeue_refusal === null && (
    <Button look="primary" icon="refresh" onClick={onRequeue}>
      Requeue
    </Button>
  );
  return (
    <Dialog title="Dead letter" onClose={onClose} actions={actions || undefined}>
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
      <NextStep letter={letter} />
    </Dialog>
  );
}

/** What was done about a dead letter, or what can be. */
function NextStep({ letter: { requeue, requeue_refusal, requeue_of } }: { letter: DeadLetter }) {
  if (requeue)
    return (
      <div class="health-next">
        <p>
          <InertText text={requeue.by.id} characters_max={120} /> handed it to its consumer again <RelativeTime at={requeue.requeued_at} />:
        </p>
        <InertText text={requeue.reason} look="block" />
        <p class="soft">If that failed, too, there is a newer dead letter of it.</p>
      </div>
    );
  if (requeue_refusal)
    return (
      <div class="health-next">
        <p>
          <strong>It cannot be requeued.</strong> <InertText text={requeue_refusal.slice(0, 1).toUpperCase() + requeue_refusal.slice(1)} />
        </p>
      </div>
    );
  return (
    <p class="soft health-next">{requeue_of ? 'It was requeued before, and failed again. ' : ''}Correct the cause, then requeue it.</p>
  );
}
