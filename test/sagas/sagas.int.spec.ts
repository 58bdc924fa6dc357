import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definition, keysOf, type Reply, SagaWorld, type Sent, sequence, step } from './saga-world.js';

let world: SagaWorld;
let keys: Awaited<ReturnType<typeof keysOf>>;
beforeAll(async () => {
  world = await SagaWorld.open();
  keys = await keysOf(world);
}, 60_000);
afterAll(() => world.close());

let serial = 0;
const nextId = () => `s-${++serial}`;
const post = (body: object, more: Sent = {}) => world.send('POST', '/v1/sagas', { key: keys.agent, ...more, body });
const read = async (saga_id: string): Promise<Reply['body']> => (await world.send('GET', `/v1/sagas/${saga_id}`)).body;
const act = (saga_id: string, what: string, body: object | undefined, key: string) =>
  world.send('POST', `/v1/sagas/${saga_id}/${what}`, { key, ...(body && { body }) });

/** Starts a saga with this root under a new id. */
async function start(root: object, more: Sent = {}): Promise<string> {
  const saga_id = nextId();
  const { status, body } = await post({ definition: definition(root), saga_id }, more);
  expect([status, body.saga_id]).toEqual([202, saga_id]);
  return saga_id;
}

describe('a control', () => {
  test('by the starter pauses, resumes and cancels its own saga; another agent may not', async () => {
    const saga_id = await start(sequence(step('book'), step('pay')));
    expect((await act(saga_id, 'pause', undefined, keys.other)).body.reason).toBe('not_the_owner');
    expect((await act(saga_id, 'pause', { reason: 'lunch' }, keys.agent)).body).toMatchObject({ saga_id, paused: true });
    expect((await act(saga_id, 'pause', undefined, keys.operator)).body).toMatchObject({ status: 409, reason: 'saga_request_refused' });
    expect((await act(saga_id, 'resume', undefined, keys.operator)).body).toMatchObject({ paused: false });
    expect((await act(saga_id, 'cancel', undefined, keys.agent)).body).toMatchObject({ status: 'aborted' });
    expect((await act(saga_id, 'resume', undefined, keys.agent)).body.detail).toMatch(/ended as aborted/);
    expect((await act('none', 'pause', undefined, keys.agent)).status).toBe(404);
  });

  test('of a ticket needs an operator who is no agent, and its reason; the ticket says what may be done', async () => {
    const saga_id = await start(sequence(step('book'), step('pay')));
    await world.orchestrator.asks(saga_id, 'book');
    await world.orchestrator.ends(saga_id, 'book');
    await world.orchestrator.asks(saga_id, 'pay');
    await world.orchestrator.ends(saga_id, 'pay', 'failed');
    await world.orchestrator.failsToUndo(saga_id, 'book');
    const tickets = await world.send('GET', `/v1/saga-tickets?saga_id=${saga_id}`, { key: keys.operator, headers: await world.seenAll() });
    const [ticket] = tickets.body.items;
    expect(ticket).toMatchObject({ ticket: 'compensation_failed', step_id: 'book', tool: 'undo', definition: { name: 'trip' } });
    expect(ticket.actions.map(({ act: what }: { act: string }) => what)).toEqual(['retry', 'done_by_hand', 'accept']);
    const [, byHand] = ticket.actions;
    const body = { step_id: byHand.step_id, reason: 'refunded at the desk' };
    expect((await world.send('POST', byHand.href, { body, key: keys.agent })).status).toBe(403);
    expect((await world.send('POST', byHand.href, { body, key: keys.robot })).body.reason).toBe('user_required');
    expect((await world.send('POST', byHand.href, { body: { step_id: 'book' }, key: keys.operator })).body.status).toBe(400);
    expect((await read(saga_id)).status).toBe('compensation_failed');
    const done = await world.send('POST', byHand.href, { body, key: keys.operator });
    expect([done.status, done.body.status]).toEqual([200, 'compensated']);
    const saga = await read(saga_id);
    expect(saga.tickets).toMatchObject([{ closed_as: 'done_by_hand', actions: [] }]);
    expect(saga.steps).toMatchObject([
      { step_id: 'book', compensation: { status: 'done_by_hand' } },
      { step_id: 'pay', status: 'failed' },
    ]);
    expect(JSON.stringify(saga)).not.toContain('inputs');
    const open = await world.send('GET', '/v1/saga-tickets', { key: keys.operator });
    expect(open.body.items.filter((one: { saga_id: string }) => one.saga_id === saga_id)).toEqual([]);
    expect((await world.send('GET', '/v1/saga-tickets', { key: keys.agent })).status).toBe(403);
  });
});

describe('a wait', () => {
  const approval = { kind: 'wait', name: 'ask', wait: 'approval', subject: 'Book it?', timeout_ms: 50_000, on_timeout: 'fail' };
  const event = { ...approval, name: 'arrived', wait: 'event', subject: 'parcel' };
  const answer = (saga_id: string, step_id: string, body: object, key: string) =>
    act(saga_id, `waits/${encodeURIComponent(step_id)}`, body, key);

  test('for approval is answered by another person than the starter, once', async () => {
    const saga_id = await start(approval, { key: keys.both });
    const shown = await read(saga_id);
    expect(shown.status).toBe('awaiting_approval');
    expect(shown.waits).toMatchObject([{ step_id: 'ask', question: 'Book it?', answer_at: `/v1/sagas/${saga_id}/waits/ask` }]);
    const body = { outcome: 'answered', answer: { ok: true } };
    expect((await answer(saga_id, 'ask', body, keys.both)).body.reason).toBe('second_person_required');
    expect((await answer(saga_id, 'ask', body, keys.robot)).body.reason).toBe('user_required');
    expect((await answer(saga_id, 'ask', body, keys.agent)).body.reason).toBe('user_required');
    expect((await answer(saga_id, 'none', body, keys.approver)).body.reason).toBe('saga_wait_not_found');
    const done = await answer(saga_id, 'ask', body, keys.approver);
    expect([done.status, done.body.status]).toEqual([200, 'completed']);
    expect((await answer(saga_id, 'ask', body, keys.approver)).body.reason).toBe('saga_wait_ended');
    expect((await read(saga_id)).waits).toMatchObject([{ ended_as: 'answered', ended_by: { kind: 'user', id: 'anna' }, answer_at: null }]);
  });

  test('four eyes hold for a key of the same owner', async () => {
    const agent = await world.keyFor('bot-of-anna', ['agent'], 'agent', { owner: 'anna' });
    const saga_id = await start(approval, { key: agent });
    const body = { outcome: 'answered' };
    expect((await answer(saga_id, 'ask', body, keys.approver)).body.reason).toBe('second_person_required');
    expect((await answer(saga_id, 'ask', { outcome: 'refused', reason: 'no' }, keys.operator)).body.status).toBe('aborted');
  });

  test('for an event is answered by an agent; of two answers at once, one counts', async () => {
    const saga_id = await start(event);
    expect((await answer(saga_id, 'arrived', { outcome: 'answered' }, keys.approver)).status).toBe(403);
    const answers = await Promise.all([1, 2].map((n) => answer(saga_id, 'arrived', { outcome: 'answered', answer: n }, keys.other)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await read(saga_id)).waits[0].event).toBe('parcel');
  });

  test('takes an answer of 64 KiB, and no answer that is refused', async () => {
    const saga_id = await start(event);
    const large = await answer(saga_id, 'arrived', { outcome: 'answered', answer: 'x'.repeat(66_000) }, keys.agent);
    expect(large.body.validation.issues[0].path).toBe('/answer');
    const both = await answer(saga_id, 'arrived', { outcome: 'refused', answer: 1 }, keys.agent);
    expect(both.body.validation.issues[0].path).toBe('/answer');
    expect((await answer(saga_id, 'arrived', { outcome: 'answered', answer: 'x'.repeat(65_000) }, keys.agent)).status).toBe(200);
  });

  test('of the item of a map is named with its index', async () => {
    const saga_id = await start({
      kind: 'map',
      name: 'each',
      over: { literal: [1, 2] },
      concurrency: 2,
      join: { kind: 'all' },
      body: event,
    });
    await world.orchestrator.tell(saga_id, { kind: 'list_read', block_id: 'each', items: 2 });
    await world.send('GET', `/v1/sagas/${saga_id}`, { headers: await world.seenAll() });
    expect((await answer(saga_id, 'arrived[1]', { outcome: 'answered' }, keys.agent)).status).toBe(200);
    const open = (await read(saga_id)).waits.filter((wait: { ended_as: string | null }) => wait.ended_as === null);
    expect(open.map(({ answer_at }: { answer_at: string }) => answer_at)).toEqual([`/v1/sagas/${saga_id}/waits/arrived%5B0%5D`]);
  });
});

test('sagas are listed by status, definition and case', async () => {
  const list = async (query: string) => (await world.send('GET', `/v1/sagas?${query}&limit=500`)).body.items;
  const completed = await list('status=completed');
  expect(completed.length).toBeGreaterThan(0);
  expect(completed.every(({ status }: { status: string }) => status === 'completed')).toBe(true);
  expect((await list('definition=trip')).length).toBeGreaterThan(0);
  expect(await list('definition=none')).toEqual([]);
  await start(sequence(step('book')));
  expect((await list('status=running,pending')).length).toBeGreaterThan(0);
  expect((await world.send('GET', '/v1/sagas?status=gone')).body.validation.issues[0].path).toBe('/status/0');
});

test('inputs and answers about data subjects are sealed on the record', async () => {
  await world.send('PUT', '/v1/personal-data/people', { body: { tools: ['none'], subjects: ['/person'] } });
  const event = { kind: 'wait', name: 'arrived', wait: 'event', subject: 'parcel', timeout_ms: 50_000, on_timeout: 'fail' };
  const body = definition(event, { name: 'parcel', version: '1.0.0' });
  await world.send('PUT', '/v1/saga-definitions/parcel/versions/1.0.0', { body });
  const saga_id = nextId();
  const made = await post({ definition: { name: 'parcel' }, inputs: { who: 'Ada Lovelace' }, saga_id, subjects: ['ada'] });
  expect([made.status, made.body]).toEqual([202, expect.objectContaining({ saga_id })]);
  const answer = { outcome: 'answered', answer: { at: 'Ada Street' }, reason: 'seen by Ada', subjects: ['ada'] };
  expect((await act(saga_id, 'waits/arrived', answer, keys.agent)).status).toBe(200);
  const recorded = [...(await world.events('saga-requested')), ...(await world.events('compensation'))].filter(
    (one) => one.saga_id === saga_id,
  );
  expect(JSON.stringify(recorded)).not.toContain('Ada');
  const inputs = recorded.find((one) => one.inputs_json).inputs_json;
  expect(JSON.parse(inputs)).toMatch(/^sealed:v1:/);
  expect((await read(saga_id)).waits[0].reason).toBe('seen by Ada');
  const forged = await post({ definition: { name: 'parcel' }, inputs: { who: JSON.parse(inputs) } });
  expect(forged.body).toMatchObject({ status: 400, reason: 'invalid_request' });
});
