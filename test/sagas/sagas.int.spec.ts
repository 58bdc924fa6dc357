import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definition, type Reply, SagaWorld, type Sent, sequence, step } from './saga-world.js';

let world: SagaWorld;
const keys = { agent: '', other: '', operator: '', approver: '', both: '', robot: '' };
beforeAll(async () => {
  world = await SagaWorld.open(2);
  keys.agent = await world.keyFor('shopper', ['agent'], 'agent');
  keys.other = await world.keyFor('stranger', ['agent'], 'agent');
  keys.robot = await world.keyFor('robot', ['agent', 'operator', 'approver'], 'agent');
  keys.operator = await world.keyFor('olga', ['operator']);
  keys.approver = await world.keyFor('anna', ['approver']);
  keys.both = await world.keyFor('boss', ['agent', 'approver', 'operator']);
  const input_schema = { type: 'object', properties: { id: { type: 'string' }, size: { type: 'integer', default: 2 } }, required: ['id'] };
  const publish = (version: string) =>
    world.send('PUT', `/v1/saga-definitions/trip/versions/${version}`, { body: definition(step('book'), { version, input_schema }) });
  for (const version of ['1.0.0', '1.2.0', '2.0.0', '3.0.0-beta.1']) expect((await publish(version)).status).toBe(201);
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

describe('a start', () => {
  test('is answered once the saga is on the record, and a read after it finds the saga', async () => {
    const made = await post({ definition: { name: 'trip' }, inputs: { id: 'x' } });
    expect([made.status, made.body.status, made.body.definition]).toEqual([202, 'pending', { name: 'trip', version: '2.0.0' }]);
    expect(made.body.saga_id).toMatch(/^saga_[0-9a-f-]{36}$/);
    expect(made.headers.get('location')).toBe(`/v1/sagas/${made.body.saga_id}`);
    expect(made.headers.get('countersign-position')).toMatch(/^compensation:\d:\d+$/);
    const shown = await world.send('GET', made.headers.get('location') as string);
    expect([shown.status, shown.body.started_by]).toEqual([200, { kind: 'agent', id: 'shopper' }]);
    const started = (await world.events('compensation')).find((event) => event.saga_id === made.body.saga_id && event.started_at_ms);
    expect(JSON.parse(started.inputs_json)).toEqual({ id: 'x', size: 2 });
  });

  test.each([
    ['^1.0.0', '1.2.0'],
    ['~1.0.0', '1.0.0'],
    ['3.0.0-beta.1', '3.0.0-beta.1'],
  ])('the version %s of a definition is recorded as %s', async (version, exact) => {
    const made = await post({ definition: { name: 'trip', version }, inputs: { id: 'x' } });
    expect([made.status, made.body.definition]).toEqual([202, { name: 'trip', version: exact }]);
  });

  test('without a key and an id each request is a new saga', async () => {
    const ids = [];
    for (let n = 0; n < 2; n++) ids.push((await post({ definition: { name: 'trip' }, inputs: { id: 'x' } })).body.saga_id);
    expect(new Set(ids).size).toBe(2);
  });

  test('waits for the end as long as it prefers', async () => {
    const saga_id = nextId();
    const waiting = post({ definition: definition(step('book')), saga_id }, { headers: { prefer: 'wait=20' } });
    while (!world.orchestrator.state(saga_id)) await new Promise((resolve) => setTimeout(resolve, 5));
    await world.orchestrator.asks(saga_id, 'book');
    await world.orchestrator.ends(saga_id, 'book');
    const ended = await waiting;
    expect([ended.status, ended.body.status]).toEqual([201, 'completed']);
    const again = await post({ definition: definition(step('book')), saga_id });
    expect([again.status, again.body]).toEqual([200, ended.body]);
  });

  test('the short form runs its steps one after another; plain values are literals', async () => {
    const saga_id = nextId();
    const steps = [
      { id: 'book', tool: 'book', inputs: { to: 'Rome', who: { from: '/inputs/who' }, from: { literal: { from: 'x' } } } },
      { id: 'pay', tool: 'pay', compensation: { tool: 'undo', inputs: { of: { from: '/steps/pay/output' } } } },
    ];
    const input_schema = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] };
    const made = await post({ definition: { name: 'short', version: '1.0.0', input_schema, steps }, inputs: { who: 'ann' }, saga_id });
    expect([made.status, made.body.definition]).toEqual([202, { name: 'short', version: '1.0.0' }]);
    const root = world.orchestrator.state(saga_id)?.definition.root as unknown as {
      blocks: { use: { version: string; inputs: object } }[];
    };
    expect(root.blocks[0]?.use.inputs).toEqual({ to: { literal: 'Rome' }, who: { from: '/inputs/who' }, from: { literal: { from: 'x' } } });
    expect(root.blocks[0]?.use.version).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe('a repeated start', () => {
  const trip = (id = 'x') => ({ definition: { name: 'trip' }, inputs: { id } });

  test('under one Idempotency-Key is one saga, through two gateways at once', async () => {
    const headers = { 'idempotency-key': 'order-7' };
    const made = await Promise.all([0, 1, 0, 1].map((gateway) => post(trip(), { headers, gateway })));
    expect(made.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    const [saga_id] = new Set(made.map(({ body }) => body.saga_id));
    expect(new Set(made.map(({ body }) => body.saga_id)).size).toBe(1);
    const starts = (await world.events('compensation')).filter((event) => event.saga_id === saga_id && event.started_at_ms);
    expect(starts).toHaveLength(1);
  });

  test('with another request is 422 under its key and 409 under its saga_id', async () => {
    const headers = { 'idempotency-key': 'order-8' };
    const first = await post(trip(), { headers });
    const other = await post(trip('y'), { headers });
    expect([other.status, other.body.reason, other.body.saga_id]).toEqual([422, 'key_reused', first.body.saga_id]);
    const saga_id = nextId();
    expect((await post({ ...trip(), saga_id })).status).toBe(202);
    expect((await post({ ...trip(), saga_id })).body.saga_id).toBe(saga_id);
    expect((await post({ ...trip('y'), saga_id })).body).toMatchObject({ status: 409, reason: 'saga_id_taken' });
  });

  test('by another principal has another saga under the same key, and none under the same saga_id', async () => {
    const headers = { 'idempotency-key': 'order-9' };
    const mine = await post(trip(), { headers });
    const theirs = await post(trip(), { headers, key: keys.other });
    expect([theirs.status, theirs.body.saga_id === mine.body.saga_id]).toEqual([202, false]);
    const saga_id = nextId();
    await post({ ...trip(), saga_id });
    expect((await post({ ...trip(), saga_id }, { key: keys.other })).body.reason).toBe('saga_id_taken');
  });

  test('is answered although the request would be refused as a new one', async () => {
    const saga_id = nextId();
    const deadline = new Date(Date.now() + 400).toISOString();
    const request = { ...trip(), saga_id, deadline };
    expect((await post(request)).status).toBe(202);
    await new Promise((resolve) => setTimeout(resolve, 450));
    expect((await post(request)).status).toBe(202);
    expect((await post({ ...request, saga_id: nextId() })).body.reason).toBe('deadline_passed');
  });
});

describe('a request that starts nothing', () => {
  const refusals: [string, object, number, string, string?][] = [
    ['an unknown definition', { definition: { name: 'gone' } }, 404, 'saga_definition_not_found'],
    ['an unknown version', { definition: { name: 'trip', version: '^9.0.0' } }, 404, 'saga_definition_version_not_found'],
    ['a bad range', { definition: { name: 'trip', version: 'latest' } }, 400, 'invalid_request', '/definition/version'],
    ['missing inputs', { definition: { name: 'trip' }, inputs: {} }, 422, 'invalid_inputs', '/id'],
    ['an unknown input', { definition: { name: 'trip' }, inputs: { id: 'x', it: 1 } }, 422, 'invalid_inputs', '/it'],
    ['an unknown case', { definition: { name: 'trip' }, inputs: { id: 'x' }, case_id: 'none' }, 404, 'case_not_found'],
    ['an id of the gateway', { definition: { name: 'trip' }, inputs: { id: 'x' }, saga_id: 'saga_1' }, 400, 'invalid_request', '/saga_id'],
    ['an id with a slash', { definition: { name: 'trip' }, inputs: { id: 'x' }, saga_id: 'a/b' }, 400, 'invalid_request', '/saga_id'],
    ['a whole definition with faults', { definition: definition(step('none')) }, 422, 'invalid_saga_definition', '/root/use/tool'],
    ['an unknown block', { definition: definition({ kind: 'loop' }) }, 422, 'invalid_saga_definition', '/root/kind'],
    ['a short definition with faults', { definition: { name: 'a', version: 'x', steps: [] } }, 422, 'invalid_saga_definition', '/version'],
    [
      'a binding of a short definition that points nowhere',
      { definition: { name: 'a', version: '1.0.0', steps: [{ id: 'a', tool: 'book', inputs: { x: { from: '/steps/none/output' } } }] } },
      ...([422, 'invalid_saga_definition', '/steps/0/inputs/x/from'] as const),
    ],
    ['an unknown tool', { definition: { name: 'a', version: '1.0.0', steps: [{ id: 'a', tool: 'none' }] } }, 404, 'tool_not_found'],
    ['no definition', {}, 400, 'invalid_request', '/definition'],
    ['an unknown field', { definition: { name: 'trip' }, inputs: { id: 'x' }, wait: 1 }, 400, 'invalid_request', '/wait'],
    [
      'subjects of a definition in the request',
      { definition: definition(step('book')), subjects: ['ann'] },
      400,
      'invalid_request',
      '/subjects',
    ],
    ['named subjects without rules', { definition: { name: 'trip' }, inputs: { id: 'x' }, subjects: ['ann'] }, 400, 'invalid_request'],
  ];
  test.each(refusals)('%s', async (_what, request, status, reason, path) => {
    const before = (await world.events('saga-requested')).length;
    const { body } = await post(request);
    expect([body.status, body.reason]).toEqual([status, reason]);
    if (path) expect(body.validation.issues.map((issue: { path: string }) => issue.path)).toContain(path);
    expect(await world.events('saga-requested')).toHaveLength(before);
  });

  test('large definitions and inputs are refused', async () => {
    const large = definition(step('book', { manual: 'x'.repeat(1000), fallbacks: [] }));
    const blocks = Array.from({ length: 20 }, (_, at) => ({ ...step('book', { manual: 'x'.repeat(1000) }), name: `s${at}` }));
    expect((await post({ definition: { ...large, root: sequence(...blocks) } })).body).toMatchObject({ reason: 'invalid_saga_definition' });
    const inputs = { id: 'x'.repeat(70_000) };
    expect((await post({ definition: { name: 'trip' }, inputs })).body).toMatchObject({ status: 422, reason: 'invalid_inputs' });
  });

  test('an Idempotency-Key and a saga_id together are refused', async () => {
    const body = { definition: { name: 'trip' }, inputs: { id: 'x' }, saga_id: nextId() };
    expect((await post(body, { headers: { 'idempotency-key': 'k' } })).status).toBe(400);
  });

  test('a closed case is 409, and roles other than agent and operator are refused', async () => {
    const { case_id } = (await world.send('POST', '/v1/cases', { body: { title: 'c' } })).body;
    const request = { definition: { name: 'trip' }, inputs: { id: 'x' }, case_id };
    expect((await post(request)).body.case_id).toBe(case_id);
    await world.send('PATCH', `/v1/cases/${case_id}`, { body: { state: 'closed' } });
    expect((await post(request)).body.reason).toBe('case_closed');
    expect((await post(request, { key: keys.approver })).status).toBe(403);
  });
});

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
  expect((await list('definition=short')).map(({ definition: { name } }: { definition: { name: string } }) => name)).toEqual(['short']);
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

test('a start that no orchestrator answers is 503 and stays on the record: the same request finds its saga later', async () => {
  world.orchestrator.is_running = false;
  const request = { definition: { name: 'trip' }, inputs: { id: 'x' }, saga_id: nextId() };
  const unanswered = await post(request);
  expect(unanswered.body).toMatchObject({ status: 503, reason: 'saga_start_pending', saga_id: request.saga_id });
  await world.orchestrator.resume();
  expect((await post(request)).status).toBe(202);
  expect((await world.events('saga-requested')).filter(({ saga_id }) => saga_id === request.saga_id)).not.toHaveLength(0);
}, 30_000);
