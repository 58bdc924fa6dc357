import { setTimeout as sleep } from 'node:timers/promises';
import { EventLog } from '@countersign/event-log';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TestGateway } from '../testing/test-gateway.js';
import { TestProducer } from '../testing/test-producer.js';

let gateway: TestGateway;
let acme: TestProducer;
let serial = 0;

const register = (producer_id: string, more: object = {}) =>
  gateway.send('POST', '/v1/producers', { producer_id, principal: { kind: 'agent', id: `bot-${producer_id}`, roles: ['agent'] }, ...more });
const call = (tool: string, more: Record<string, unknown> = {}, inputs: object = { path: `p-${++serial}`, text: 'x' }) => ({
  event_type: 'tool_call_requested',
  tool,
  inputs,
  ...more,
});
const cancel = (target: Record<string, string>) => ({ event_type: 'tool_call_cancel_requested', ...target, reason: 'not needed' });
const lettersOf = async (producer: TestProducer) =>
  (await gateway.events('dead-letter')).filter(({ source_topic }) => source_topic.endsWith(producer.producer_id));
const requestsOf = async (producer: TestProducer) =>
  (await gateway.events('tool-call-requested')).filter(({ call }) => call?.principal.id === `bot-${producer.producer_id}`);

beforeAll(async () => {
  // The embedded log has topics like Kafka; what it has not is a way in for others.
  vi.spyOn(EventLog.prototype, 'is_shared', 'get').mockReturnValue(true);
  gateway = await TestGateway.open();
  expect((await register('acme')).status).toBe(201);
  acme = new TestProducer(gateway.log, 'acme');
}, 60_000);
afterAll(async () => {
  await gateway.close();
  vi.restoreAllMocks();
}, 30_000);

describe('requests of a producer', () => {
  test('a record is admitted as a POST is, from any partition, and its envelope is the answer', async () => {
    for (const partition of [0, 3]) {
      const request_id = await acme.produce(call('write_note'), partition);
      const answer = await acme.answerTo(request_id);
      expect(answer).toMatchObject({ event_type: 'tool_call_answered', key: answer.body.call_id });
      expect(answer.body).toMatchObject({
        name: 'write_note',
        version: '1.3.0',
        status: 'succeeded',
        principal: { kind: 'agent', id: 'bot-acme' },
      });
      const read = await gateway.send('GET', `/v1/calls/${answer.body.call_id}`);
      expect(read.body).toMatchObject({ call_id: answer.body.call_id, agent_token_ref: 'key:producer:acme' });
    }
  });

  test('a denial, a failure, a doubt and a call that waits for a person are answered', async () => {
    const cases = { never: 'denied', fails: 'failed', doubtful: 'in_doubt', ask_first: 'pending_approval' };
    for (const [tool, status] of Object.entries(cases))
      expect((await acme.answerTo(await acme.produce(call(tool)))).body).toMatchObject({ name: tool, status });
  });

  test('the same request id is the same call, answered again; without one the place of the record is the id', async () => {
    const body = call('write_note', { context: { request_id: 'order-1' } });
    await acme.produce(body);
    const first = await acme.answerTo('order-1');
    await acme.produce(body, 2);
    const again = await acme.answer(({ request_id, body }) => request_id === 'order-1' && body.deduplicated);
    expect(again.body).toMatchObject({ call_id: first.body.call_id, deduplicated_because: 'same_request' });
    expect((await requestsOf(acme)).filter(({ call }) => call.context.request_id === 'order-1')).toHaveLength(1);
    const inputs = { path: 'same', text: 'x' };
    const ids = await acme.produceAll([call('write_note', {}, inputs), call('write_note', {}, inputs)]);
    const [one, two] = [await acme.answerTo(ids[0] as string), await acme.answerTo(ids[1] as string)];
    expect(one.body.call_id).not.toBe(two.body.call_id);
  });

  test('an external_id that is sent again is the same call, and a key with other inputs is refused by policy', async () => {
    const body = call('write_note', { external_id: 'PO-7' });
    await acme.produce(body);
    const first = await acme.answer((answer) => answer.body.external_id === 'PO-7');
    await acme.produce(body, 1);
    const again = await acme.answer((answer) => answer.body.external_id === 'PO-7' && answer.body.deduplicated);
    expect(again.body.call_id).toBe(first.body.call_id);
    const key = { idempotency_key: 'k-1' };
    await acme.answerTo(await acme.produce(call('write_note', key)));
    expect((await requestsOf(acme)).at(-1)).toBeDefined();
    const keyed = (await requestsOf(acme)).filter(({ call }) => call.key_source === 'header');
    expect(keyed).toHaveLength(1);
  });
});

describe('cancels of a producer', () => {
  const cancelledCalls = async () =>
    (await gateway.events('tool-call-requested')).filter(({ reason }) => reason === 'not needed').map(({ meta }) => meta.call_id);

  test.each([
    ['request id', { context: { request_id: 'c-1' } }, { request_id: 'c-1' }],
    ['external id', { external_id: 'c-2' }, { external_id: 'c-2' }],
  ])('a cancel on any partition finds its call by its %s', async (_name, request, target) => {
    await acme.produce(call('ask_first', request), 0);
    const { body } = await acme.answer((answer) => answer.request_id === 'c-1' || answer.body.external_id === 'c-2');
    await acme.produce(cancel(target as Record<string, string>), 3);
    await vi.waitFor(async () => expect(await cancelledCalls()).toContain(body.call_id), { timeout: 20_000 });
  });

  test('a cancel finds its call by call id, and by the place of its record', async () => {
    for (const target of ['call_id', 'request_id']) {
      const position = await acme.produce(call('ask_first'));
      const { call_id } = (await acme.answerTo(position)).body;
      await acme.produce(cancel({ [target]: target === 'call_id' ? call_id : position }), 2);
      await vi.waitFor(async () => expect(await cancelledCalls()).toContain(call_id), { timeout: 20_000 });
    }
  });

  test('a cancel that comes before its request is kept: the request is not recorded', async () => {
    await acme.produce(cancel({ request_id: 'early' }), 1);
    await sleep(500);
    const position = await acme.produce(call('write_note', { context: { request_id: 'early' } }), 2);
    const answer = await acme.answerTo(position);
    expect(answer).toMatchObject({ event_type: 'tool_call_refused', body: { status: 409, reason: 'cancelled_before_request' } });
    expect((await requestsOf(acme)).filter(({ call }) => call.context.request_id === 'early')).toEqual([]);
  });

  test('a cancel of a call that has ended is answered, and is no dead letter', async () => {
    const before = (await lettersOf(acme)).length;
    const { call_id } = (await acme.answerTo(await acme.produce(call('write_note')))).body;
    const refused = await acme.answerTo(await acme.produce(cancel({ call_id })));
    expect(refused.body).toMatchObject({ status: 409, reason: 'call_already_ended' });
    expect(await lettersOf(acme)).toHaveLength(before);
  });
});

describe('records that are refused', () => {
  const nested = Buffer.from(
    `{"event_type":"tool_call_requested","tool":"write_note","inputs":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
  );
  const refused: [string, object | Buffer, Record<string, string>, object][] = [
    ['a tombstone', Buffer.alloc(0), {}, { status: 400 }],
    ['garbage', Buffer.from([7, 255, 254, 3]), {}, { status: 400 }],
    ['text that is no JSON', Buffer.from('{"tool":'), {}, { status: 400 }],
    ['a value over 1 MB', Buffer.alloc(1_100_000, 0x20), {}, { status: 413 }],
    ['JSON that is nested too deeply', nested, {}, { status: 400 }],
    [
      'a key that pollutes prototypes',
      Buffer.from('{"event_type":"tool_call_requested","tool":"x","inputs":{"__proto__":{}}}'),
      {},
      { status: 400 },
    ],
    ['Avro without a registry', Buffer.from([0, 0, 0, 0, 9, 2, 3]), {}, { status: 400 }],
    ['another event', { event_type: 'policy_decided' }, {}, { status: 400 }],
    ['an unknown member', call('write_note', { principal_id: 'ceo' }), {}, { status: 400 }],
    ['an unknown tool', call('no_such_tool'), {}, { status: 404 }],
    ['inputs that do not fit', call('write_note', {}, { path: 7 }), {}, { status: 422 }],
    ['another tenant in a header', call('write_note'), { tenant_id: 'globex' }, { reason: 'producer_claims_another' }],
    ['another principal in a header', call('write_note'), { 'X-Principal-Id': 'ceo' }, { reason: 'producer_claims_another' }],
    ['a credential in a header', call('write_note'), { Authorization: 'Bearer x' }, { reason: 'producer_claims_another' }],
    ['another tenant in the value', call('write_note', { tenant_id: 'globex' }), {}, { reason: 'producer_claims_another' }],
  ];

  test.each(refused)('%s goes to the dead letters, with a security event and an answer', async (_what, value, headers, expected) => {
    const position = await acme.produce(value, 1, headers);
    const answer = await acme.answerTo(position);
    expect(answer).toMatchObject({ event_type: 'tool_call_refused', body: { ...expected, instance: position } });
    const [topic, partition, offset] = position.split('/');
    const letter = (await lettersOf(acme)).find(
      (one) => one.source_offset === Number(offset) && one.source_partition === Number(partition),
    );
    expect(letter).toMatchObject({ source_topic: topic, meta: { tenant_id: 'default' }, consumer: 'gateway-producers' });
    expect(letter.value).toHaveLength(0);
    const event = (await gateway.events('security-event')).find(({ detail }) => detail.startsWith(`${position}:`));
    expect(event).toMatchObject({
      principal: { id: 'bot-acme' },
      kind: /another/.test(JSON.stringify(expected)) ? expect.stringMatching(/cross_tenant|request_refused/) : 'record_refused',
    });
  });

  test('a header that repeats the tenant is taken', async () => {
    expect((await acme.answerTo(await acme.produce(call('write_note'), 0, { tenant_id: 'default' }))).body.status).toBe('succeeded');
  });
});

describe('registration', () => {
  test('is for admins, of their own tenant; a producer is an agent or a service that submits calls', async () => {
    const agent = await gateway.keyFor('plain-agent', ['agent']);
    expect((await gateway.send('GET', '/v1/producers', undefined, {}, agent)).status).toBe(403);
    for (const principal of [
      { kind: 'user', id: 'ann', roles: ['agent'] },
      { kind: 'agent', id: 'boss', roles: ['admin'] },
    ])
      expect((await register('wrong', { principal })).status).toBe(400);
    for (const producer_id of ['a.b', 'A', '-a', 'a-', 'x'.repeat(64), '../a']) expect((await register(producer_id)).status).toBe(400);
    await gateway.send('POST', '/v1/tenants', { tenant_id: 'rival' });
    const rival = await gateway.keyFor('rival-admin', ['admin'], { tenant_id: 'rival' });
    const reads = await gateway.send('GET', '/v1/producers/acme', undefined, {}, rival);
    expect([reads.status, (await gateway.send('DELETE', '/v1/producers/acme', undefined, {}, rival)).status]).toEqual([404, 404]);
    expect((await gateway.send('GET', '/v1/producers', undefined, {}, rival)).body.items).toEqual([]);
    const taken = { producer_id: 'acme', principal: { kind: 'agent', id: 'b', roles: ['agent'] } };
    expect((await gateway.send('POST', '/v1/producers', taken, {}, rival)).body).toMatchObject({ status: 409, reason: 'producer_exists' });
  });

  test('names the topics, and the credential is listed and revoked like a key; it has no secret', async () => {
    const made = await register('named', { name: 'The named one', scopes: ['notes:read'], owner: 'ann' });
    expect(made.body).toMatchObject({
      request_topic: 'tool-call-requested.from.named',
      answer_topic: 'tool-call-answered.to.named',
      state: 'active',
      owner: 'ann',
    });
    expect((await gateway.send('GET', '/v1/producers/named')).body).toEqual(made.body);
    const key = await gateway.send('GET', '/v1/keys/producer:named');
    expect(key.body).toMatchObject({ key_prefix: null, scopes: ['notes:read'] });
    expect((await gateway.send('PATCH', '/v1/keys/producer:named', { name: 'Renamed' })).status).toBe(200);
    expect((await gateway.send('GET', '/v1/producers/named')).body.name).toBe('Renamed');
    expect((await gateway.send('DELETE', '/v1/keys/producer:named')).status).toBe(204);
    expect((await gateway.send('GET', '/v1/producers/named')).body.state).toBe('revoked');
    expect((await register('named')).body.reason).toBe('producer_exists');
  });

  test('an id of a principal that is confusable with another is refused; so is a producer of an embedded installation', async () => {
    const alike = await register('alike', { principal: { kind: 'agent', id: 'bot-acme\u200b', roles: ['agent'] } });
    expect([alike.status, alike.body.reason]).toEqual([409, 'id_too_similar']);
    const spy = vi.spyOn(EventLog.prototype, 'is_shared', 'get').mockReturnValueOnce(false);
    expect((await register('alone')).body).toMatchObject({ status: 409, reason: 'producers_need_kafka' });
    expect(spy).toHaveBeenCalled();
  });
});

describe('the credential of a producer', () => {
  test('a revoked producer is refused, and its calls are not answered any more', async () => {
    await register('gone');
    const gone = new TestProducer(gateway.log, 'gone');
    const before = await gone.answerTo(await gone.produce(call('ask_first')));
    expect((await gateway.send('DELETE', '/v1/producers/gone')).status).toBe(204);
    const position = await gone.produce(call('write_note'));
    await vi.waitFor(async () => expect(await lettersOf(gone)).toHaveLength(1), { timeout: 20_000 });
    expect((await lettersOf(gone))[0].cause).toMatch(/^forbidden \(producer_revoked\)/);
    expect((await gateway.send('GET', '/v1/producers/gone')).body).toMatchObject({ state: 'revoked' });
    await gateway.send('POST', `/v1/calls/${before.body.call_id}/cancel`);
    await sleep(500);
    expect((await gone.answers()).filter(({ event_type }) => event_type === 'tool_call_answered')).toHaveLength(1);
    expect(position).toContain('gone');
  });

  test('a tenant without room stops the partition and loses no record; another tenant does not wait', async () => {
    await gateway.send('POST', '/v1/tenants', { tenant_id: 'small', in_flight_max: 2 });
    await register('busy', { tenant_id: 'small' });
    const busy = new TestProducer(gateway.log, 'busy');
    await busy.produceAll(Array.from({ length: 6 }, () => call('ask_first')));
    await vi.waitFor(async () => expect(await requestsOf(busy)).toHaveLength(2), { timeout: 20_000 });
    expect((await acme.answerTo(await acme.produce(call('write_note')))).body.status).toBe('succeeded');
    await sleep(600);
    expect([(await requestsOf(busy)).length, (await lettersOf(busy)).length]).toEqual([2, 0]);
  });
});
