import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definition, keysOf, SagaWorld, type Sent, sequence, step } from './saga-world.js';

let world: SagaWorld;
let keys: Awaited<ReturnType<typeof keysOf>>;
beforeAll(async () => {
  world = await SagaWorld.open(2);
  keys = await keysOf(world);
  const input_schema = { type: 'object', properties: { id: { type: 'string' }, size: { type: 'integer', default: 2 } }, required: ['id'] };
  const publish = (version: string) =>
    world.send('PUT', `/v1/saga-definitions/trip/versions/${version}`, { body: definition(step('book'), { version, input_schema }) });
  for (const version of ['1.0.0', '1.2.0', '2.0.0', '3.0.0-beta.1']) expect((await publish(version)).status).toBe(201);
}, 60_000);
afterAll(() => world.close());

let serial = 0;
const nextId = () => `s-${++serial}`;
const post = (body: object, more: Sent = {}) => world.send('POST', '/v1/sagas', { key: keys.agent, ...more, body });

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
    const history = await world.send('GET', `/v1/cases/${case_id}/history`, { headers: await world.seenAll() });
    expect([history.status, history.body.items.map(({ type }: { type: string }) => type)]).toEqual([200, ['case_opened', 'saga_started']]);
    expect(JSON.stringify(history.body)).not.toMatch(/authority|inputs_json|request_digest/);
    await world.send('PATCH', `/v1/cases/${case_id}`, { body: { state: 'closed' } });
    expect((await post(request)).body.reason).toBe('case_closed');
    expect((await post(request, { key: keys.approver })).status).toBe(403);
  });
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
