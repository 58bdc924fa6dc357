import { afterEach, beforeEach, expect, test } from 'vitest';
import { literal, move, saga, sequence, step } from './blocks.js';
import { SagaPlatform, storyOf } from './saga-platform.js';

let platform: SagaPlatform;
beforeEach(async () => {
  platform = await SagaPlatform.open();
}, 60_000);
afterEach(() => platform.close());

const wait = { kind: 'wait', name: 'go', wait: 'event', subject: 'go', timeout_ms: 600_000, on_timeout: 'fail' } as const;
const isTicket = (event_type: string) => event_type === 'saga_ticket_opened';

async function callOf(saga_id: string, step_id: string): Promise<string> {
  const records = await platform.until(saga_id, (record) => record.event_type === 'saga_step_ended' && record.event.step_id === step_id);
  const ended = records.find((record) => record.event_type === 'saga_step_ended' && record.event.step_id === step_id);
  return ended?.event_type === 'saga_step_ended' ? (ended.event.call_id as string) : '';
}

interface Ticket {
  ticket: string;
  closed_at: string | null;
  closed_as?: string | null;
  call_id: string;
  actions: { act: string; href: string }[];
}

/** The tickets of a saga that has one on its record: the views follow. */
async function ticketsOf(saga_id: string): Promise<Ticket[]> {
  for (const end_ms = Date.now() + 30_000; Date.now() < end_ms; ) {
    const { body } = await platform.admin().request<{ tickets: Ticket[] }>('GET', `/v1/sagas/${saga_id}`);
    if (body.tickets.length > 0) return body.tickets;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return [];
}

/** The first level fails without an effect, and the second one answers. */
const withFallback = step(
  'one',
  'move_file',
  { source: literal('none.txt'), destination: literal('x.txt') },
  {
    fallbacks: [{ tool: 'write_file', version: '^1.0.0', inputs: { path: literal('second.txt'), content: literal('2') } }],
  },
);

test('an effect that becomes known after its saga went on opens one ticket, undoes nothing, and the saga goes on', async () => {
  await platform.start('late', saga(sequence(withFallback, wait)));
  const call_id = await callOf('late', 'one');
  await platform.reaches('late', 'saga_wait_opened');
  await platform.lateResult(call_id);
  await platform.until('late', ({ event_type }) => isTicket(event_type));
  const story = storyOf(await platform.records('late'));
  expect(story.filter((line) => line.startsWith('ticket') || line.startsWith('undo'))).toEqual(['ticket late_effect']);
  expect(await ticketsOf('late')).toMatchObject([{ ticket: 'late_effect', call_id, closed_at: null }]);
  expect((await ticketsOf('late'))[0]?.actions.map(({ act }) => act)).toEqual(['undo_call', 'done_by_hand', 'accept']);
  const { href } = ((await ticketsOf('late'))[0] as Ticket).actions[0] as { href: string };
  expect((await platform.admin().request('GET', href)).body).toMatchObject({ items: [{ call_id, undoable: true, status: 'failed' }] });
  expect((await platform.envelope(call_id)).effect).toBe('happened');
  await platform.answer('late', 'go', {});
  expect((await platform.ended('late')).at(-1)).toBe('completed');
});

test('also after the saga has ended, and after a restart that loses the tables: nothing is forgotten', async () => {
  await platform.start('over', saga(move('one', 'none.txt', 'x.txt')));
  const call_id = await callOf('over', 'one');
  expect((await platform.ended('over')).at(-1)).toBe('aborted');
  await platform.lateResult(call_id);
  await platform.restart({ lose_database: true });
  await platform.until('over', ({ event_type }) => isTicket(event_type), 60_000);
  expect(await ticketsOf('over')).toMatchObject([{ ticket: 'late_effect', call_id, closed_at: null }]);
  // The next look finds nothing more to tell.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect(storyOf(await platform.records('over')).filter((line) => line.startsWith('ticket'))).toHaveLength(1);
});

test('a person answers a late effect of a saga that has ended, for its step and once; a restart changes nothing', async () => {
  await platform.start('over', saga(move('one', 'none.txt', 'x.txt')));
  const call_id = await callOf('over', 'one');
  expect((await platform.ended('over')).at(-1)).toBe('aborted');
  await platform.lateResult(call_id);
  await platform.until('over', ({ event_type }) => isTicket(event_type), 60_000);
  expect(await ticketsOf('over')).toHaveLength(1);
  await platform.restart({});
  const answer = (step_id: string) => platform.admin().request('POST', '/v1/sagas/over/accept', { step_id, reason: 'it was wanted' });
  expect((await answer('two')).status).toBe(409);
  const raced = await Promise.all([answer('one'), answer('one')]);
  expect(raced.map(({ status }) => status).sort()).toEqual([200, 409]);
  const accepted = [{ ticket: 'late_effect', closed_as: 'accept', actions: [] }];
  expect(await ticketsOf('over')).toMatchObject(accepted);
  expect((await platform.admin().request('GET', '/v1/sagas/over')).body).toMatchObject({ status: 'aborted' });
  await platform.restart({});
  expect((await answer('one')).status).toBe(409);
  expect(await ticketsOf('over')).toMatchObject(accepted);
});
