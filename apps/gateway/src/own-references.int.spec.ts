import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewaysOnOneLog } from './testing/gateways-on-one-log.js';

let world: GatewaysOnOneLog;
beforeAll(async () => {
  world = await GatewaysOnOneLog.open(2, ['write_note']);
}, 60_000);
afterAll(() => world.close());

const open = (n: number, body: object) => world.ask(n, 'POST', '/v1/cases', body);
const note = (more: object) => ({ tool: 'write_note', inputs: { path: 'a', text: 'x' }, ...more });
const call = (n: number, more: object) => world.ask(n, 'POST', '/v1/calls', note(more), { prefer: 'wait=10' });
/** Does not wait for the end: the views of these gateways show no end of a call that was sent before. */
const send = (n: number, more: object) => world.ask(n, 'POST', '/v1/calls', note(more), { prefer: 'wait=0' });
const tier = (case_id: string) => world.ask(0, 'POST', '/v1/policies/tools/write_note/resolve', { inputs: note({}).inputs, case_id });

describe('a case with a reference', () => {
  test('is opened once: an equal request gets 200 with it, a different one 409 with its id', async () => {
    const body = { external_id: 'PO-1', title: 'An order', metadata: { b: '2', a: '1' } };
    const first = await open(0, body);
    expect(first).toMatchObject({ status: 201, body: { external_id: 'PO-1', title: 'An order', metadata: { a: '1', b: '2' } } });
    expect(await open(0, { ...body, metadata: { a: '1', b: '2' } })).toEqual({ ...first, status: 200 });
    for (const other of [{ title: 'Another' }, { metadata: { a: '1' } }, { title: undefined }])
      expect(await open(0, { ...body, ...other })).toMatchObject({
        status: 409,
        body: { reason: 'external_id_taken', case_id: first.body.case_id },
      });
  });

  test('is one case for concurrent requests through two gateways', async () => {
    const equal = await Promise.all(Array.from({ length: 8 }, (_, n) => open(n % 2, { external_id: 'PO-raced', title: 'Equal' })));
    expect(equal.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(equal.map(({ body }) => body.case_id)).size).toBe(1);
    const rivals = await Promise.all(Array.from({ length: 8 }, (_, n) => open(n % 2, { external_id: 'PO-rivals', title: `Title ${n}` })));
    expect(rivals.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    const won = rivals.find(({ status }) => status === 201);
    expect(await open(1, { external_id: 'PO-rivals', title: won?.body.title })).toMatchObject({
      status: 200,
      body: { title: won?.body.title },
    });
  });

  test('keeps its reference when it is closed, and then accepts no call', async () => {
    const { body } = await open(0, { external_id: 'PO-closed' });
    const closed = await world.ask(0, 'PATCH', '/v1/cases/ext:PO-closed', { state: 'closed', metadata: { why: 'paid' } });
    expect(closed).toMatchObject({ status: 200, body: { case_id: body.case_id, external_id: 'PO-closed', metadata: { why: 'paid' } } });
    expect(await open(0, { external_id: 'PO-closed', metadata: { why: 'paid' } })).toMatchObject({
      status: 200,
      body: { status: 'closed' },
    });
    expect((await call(0, { case_id: 'ext:PO-closed' })).status).toBe(409);
  });

  test('can be named by its reference everywhere; the record and the idempotency key have its id', async () => {
    const { case_id } = (await open(0, { external_id: 'PO-named' })).body as { case_id: string };
    const [by_reference, by_id] = [await call(0, { case_id: 'ext:PO-named' }), await call(0, { case_id })];
    expect(by_reference).toMatchObject({ status: 200, body: { case_id } });
    expect(by_id.body.idempotency_key).toBe(by_reference.body.idempotency_key);
    expect((await tier('ext:PO-named')).status).toBe(200);
    const evaluation = {
      subject: { type: 'agent', id: 'bot' },
      action: { name: 'call' },
      resource: { type: 'tool', id: 'write_note', properties: note({}).inputs },
    };
    const evaluated = async (named: string) =>
      (await world.ask(0, 'POST', '/access/v1/evaluation', { ...evaluation, context: { case_id: named } })).body;
    expect(await evaluated('ext:PO-named')).toMatchObject({ context: { tier: expect.any(String) } });
    expect(await evaluated('ext:none')).toMatchObject({ decision: false, context: { reason: { code: 'unknown-case' } } });
    const batch = { calls: [note({ case_id: 'ext:PO-named' })] };
    expect((await world.ask(0, 'POST', '/v1/calls:batch', batch, { prefer: 'wait=10' })).body).toMatchObject({
      index: 0,
      call: { case_id },
    });
  });

  test('with an unknown or invalid reference is refused with reason and path', async () => {
    for (const answer of [await call(0, { case_id: 'ext:none' }), await tier('ext:none')])
      expect(answer).toMatchObject({ status: 404, body: { reason: 'case_not_found' } });
    const place = { reason: 'invalid_request', validation: { issues: [{ path: '/case_id', code: 'reference' }] } };
    const refused = [
      await call(0, { case_id: 'ext:' }),
      await tier('ext:a\u200bb'),
      await world.ask(0, 'GET', '/v1/cases/ext:%20a/history'),
      await world.ask(0, 'GET', '/v1/calls?case_id=ext:ext:a'),
    ];
    for (const answer of refused) expect(answer).toMatchObject({ status: 400, body: place });
    for (const external_id of ['', 'a\u0000', ' a', 'ext:a', 'x'.repeat(201)])
      expect(await open(0, { external_id })).toMatchObject({ status: 400, body: { validation: { issues: [{ path: '/external_id' }] } } });
    expect(await open(0, { metadata: { Bad: 'x' } })).toMatchObject({ status: 400 });
  });
});

describe('a call with a reference', () => {
  test('repeated is the same call, and shows its reference and metadata', async () => {
    const body = { external_id: 'row-7', metadata: { row: '7' }, inputs: { path: 'ref', text: 'x' } };
    const [first, again, another] = [await call(0, body), await send(1, body), await call(0, { ...body, external_id: 'row-8' })];
    expect(first).toMatchObject({ status: 200, body: { external_id: 'row-7', metadata: { row: '7' } } });
    expect(again.body.call_id).toBe(first.body.call_id);
    expect(another.body.call_id).not.toBe(first.body.call_id);
    expect(another.body.idempotency_key).toBe(first.body.idempotency_key);
  });

  test('is unique: other content, another run or principal gets 409 with the id of the existing call', async () => {
    const body = { external_id: 'row-9', inputs: { path: 'only', text: 'x' } };
    const first = await send(0, body);
    const taken = { status: 409, body: { reason: 'external_id_taken', call_id: first.body.call_id } };
    for (const other of [{ inputs: { path: 'only', text: 'y' } }, { occurrence: '2' }, { context: { run_id: 'r', seq: 1 } }])
      expect(await send(1, { ...body, ...other })).toMatchObject(taken);
  });

  test('is one call for concurrent requests through two gateways, equal or not', async () => {
    const race = (external_id: string, text: (n: number) => string) =>
      Promise.all(Array.from({ length: 8 }, (_, n) => send(n % 2, { external_id, inputs: { path: 'raced', text: text(n) } })));
    const equal = await race('raced-equal', () => 'x');
    expect(new Set(equal.map(({ body }) => body.call_id)).size).toBe(1);
    expect(equal.filter(({ status }) => status > 202)).toEqual([]);
    const rivals = await race('raced-rivals', (n) => `rival ${n}`);
    const [won, ...others] = rivals.filter(({ status }) => status !== 409);
    expect(others).toEqual([]);
    for (const { body } of rivals) expect(body.call_id).toBe(won?.body.call_id);
  });

  test('is free after its request was refused: a corrected request can use it', async () => {
    await open(0, { external_id: 'PO-over' });
    await world.ask(0, 'PATCH', '/v1/cases/ext:PO-over', { state: 'closed' });
    const body = { external_id: 'row-free', inputs: { path: 'free', text: 'x' } };
    for (const wrong of [{ case_id: 'ext:PO-over' }, { deadline: '2020-01-01T00:00:00Z' }, { inputs: {} }])
      expect((await send(0, { ...body, ...wrong })).status).toBeGreaterThanOrEqual(400);
    expect((await send(0, body)).status).toBeLessThan(300);
  });

  test('text that looks encrypted is refused where data is personal: it would be decrypted for its readers', async () => {
    const rule = { tools: ['other_*'], subjects: ['/customer_id'] };
    expect((await world.ask(0, 'PUT', '/v1/personal-data/others', rule, { prefer: 'wait=0' })).status).toBeLessThan(300);
    const forged = [{ external_id: 'sealed:v1:AAAA' }, { metadata: { note: 'sealed:v1:AAAA' } }];
    for (const own of forged) for (const answer of [await open(0, own), await call(0, own)]) expect(answer.status).toBe(400);
    const named = await open(0, { external_id: 'PO-personal', title: 'Ada’s order', subjects: ['ada'] });
    expect(named.status).toBe(201);
    const again = await open(1, { external_id: 'PO-personal', title: 'Ada’s order', subjects: ['ada'] });
    expect(again).toMatchObject({ status: 200, body: { case_id: named.body.case_id } });
    expect((await open(1, { external_id: 'PO-personal', title: 'Bob’s order', subjects: ['ada'] })).status).toBe(409);
  });
});
