import { cuttingProxy } from '@countersign/pack-operations/testing/cutting-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, Envelope } from '../journeys/api.js';
import { freshYear, TrytonPlatform } from './tryton-platform.js';
import { TrytonWorld } from './tryton-world.js';

const year = freshYear();
const day = (month: number, at = 1) => `${year}-${String(month).padStart(2, '0')}-${String(at).padStart(2, '0')}`;
const line = { product: 'p_widget_a', quantity: 100, unit_price: '12.50' };
const order = { supplier: 'sup_alpha', line_items: [line], cost_center: 'project_x' };

const tryton = new TrytonWorld();
let proxy: Awaited<ReturnType<typeof cuttingProxy>>;
let world: TrytonPlatform;
let agent: Api;
let olga: Api;

const call = async (tool: string, inputs: object, more: object = {}) =>
  (await agent.call({ tool, inputs: inputs as Record<string, unknown>, ...more })).body;

beforeAll(async () => {
  proxy = await cuttingProxy(tryton.url, `"delivery_date":{"__class__":"date","year":${year},"month":3,`);
  world = await TrytonPlatform.start(tryton, proxy.url);
  ({ agent, olga } = world);
});
afterAll(async () => {
  await world?.close();
  proxy?.server.close();
});

test('an order goes to Tryton in its shape and comes back in the words of the agent', async () => {
  const made = await call('create_purchase_order', { ...order, delivery_date: day(1) });
  expect(made).toMatchObject({ status: 'succeeded', output: { po_id: expect.stringMatching(/^\d+$/) } });
  const read = await call('query_purchase_order', { po_id: made.output?.po_id });
  expect(read.output).toMatchObject({
    status: 'draft',
    supplier: 'sup_alpha',
    delivery_date: day(1),
    total: '1250.00',
    line_items: [line],
  });
});

test('five concurrent requests for each of twenty orders leave twenty orders in Tryton', async () => {
  const case_id = (await agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'storm' })).body.case_id;
  const days = Array.from({ length: 20 }, (_, at) => day(2, at + 1));
  const storm = days.flatMap((delivery_date) =>
    Array.from({ length: 5 }, () => call('create_purchase_order', { ...order, delivery_date }, { case_id })),
  );
  const answers = await Promise.all(storm);
  const ended = await Promise.all(answers.map(({ call_id }) => agent.callUntil(call_id, ({ status }) => status !== 'running', 120_000)));
  expect(ended.filter(({ status }) => status !== 'succeeded').map(({ error }) => error)).toEqual([]);
  const found = await Promise.all(days.map(async (delivery_date) => (await tryton.ordersOn(delivery_date)).length));
  expect(found).toEqual(days.map(() => 1));
});

test('the answer is cut after Tryton committed: one order, and the call ends as succeeded', async () => {
  const sent = await call('create_purchase_order', { ...order, delivery_date: day(3) });
  const ended = await agent.callUntil(sent.call_id, ({ status }) => status !== 'running', 120_000);
  const found = await tryton.ordersOn(day(3));
  expect([found.length, found[0]?.reference]).toEqual([1, expect.stringMatching(/^cs:[\w-]{22}$/)]);
  expect(ended).toMatchObject({ status: 'succeeded', output: { po_id: String(found[0]?.id) } });
});

test('the undo of a confirmed order is COMPENSATION_FAILED with what a person must do: Tryton answers the cancel with 200', async () => {
  const made = await call('create_purchase_order', { ...order, delivery_date: day(4) });
  expect(await call('confirm_purchase_order', { po_id: made.output?.po_id })).toMatchObject({
    status: 'succeeded',
    output: { status: 'processing' },
  });
  const at = `/v1/calls/${made.call_id}/undo`;
  const { preview_digest } = (await olga.request<{ preview_digest: string }>('GET', at)).body;
  const undone = await olga.request<{ items: { call: Envelope }[] }>('POST', at, { preview_digest, reason: 'not needed' });
  expect(JSON.stringify(undone.body)).toContain('By hand: agree the cancellation');
  expect(await agent.callUntil(made.call_id, ({ status }) => status !== 'succeeded')).toMatchObject({ status: 'compensation_failed' });
  expect((await tryton.ordersOn(day(4))).map(({ state }) => state)).toEqual(['processing']);
});

test('the bill of a confirmed order is posted in Tryton, once', async () => {
  const made = await call('create_purchase_order', { ...order, delivery_date: day(6) });
  await call('confirm_purchase_order', { po_id: made.output?.po_id });
  const invoice_date = new Date().toISOString().slice(0, 10);
  const bill = { supplier: 'sup_alpha', purchase_order: made.output?.po_id, invoice_number: `A-${year}`, invoice_date, total: '1250.00' };
  const posted = await call('post_vendor_bill', bill);
  expect(posted).toMatchObject({ status: 'succeeded', output: { bill_id: expect.stringMatching(/^\d+$/) } });
  expect(await tryton.bills(made.output?.po_id)).toMatchObject([{ id: Number(posted.output?.bill_id), state: 'posted' }]);
  const again = await call('post_vendor_bill', { ...bill, total: '1250.01' });
  expect(again).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR', details: { reason: 'posted_before' } } });
});

test('a person edits the reference in Tryton: the repeat answers the same order, and its record says reference_edited', async () => {
  const case_id = (await agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'edited' })).body.case_id;
  const first = await call('create_purchase_order', { ...order, delivery_date: day(7) }, { case_id });
  await tryton.editReference(first.output?.po_id, 'mine');
  const again = await call('create_purchase_order', { ...order, delivery_date: day(7) }, { case_id });
  expect(again).toMatchObject({ deduplicated: true, output: first.output });
  expect(again.warnings).toContainEqual(expect.stringContaining('reference_edited'));
  expect(await tryton.ordersOn(day(7))).toMatchObject([{ state: 'draft', reference: 'mine' }]);
});

test('a quote goes to Tryton and comes back in the words of the agent', async () => {
  const quote = { customer: 'cus_northwind', line_items: [line], note: 'as agreed' };
  const made = await call('create_quote', quote);
  const read = await call('query_sales_order', { order_id: made.output?.quote_id });
  expect(read.output).toMatchObject({ ...quote, status: 'draft', total: '1250.00' });
});

test.each<[string, object, string]>([
  ['an unknown supplier', { supplier: 'sup_nobody' }, '/supplier'],
  ['an unmapped field', { custom_fields: { colour: 'red' } }, '/custom_fields'],
  ['a date in the past', { delivery_date: '2020-01-01' }, '/delivery_date'],
])('%s is refused by the name of the agent, and Tryton has no order', async (_title, change, field) => {
  const wanted = { ...order, delivery_date: day(5), ...change };
  const answered = (await call('create_purchase_order', wanted)) as Envelope & { validation?: object };
  expect(JSON.stringify(answered.validation)).toContain(`"path":"${field}`);
  expect(await tryton.ordersOn(wanted.delivery_date)).toEqual([]);
});
