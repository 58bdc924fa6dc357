import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { Pace } from '../hermes/pace.js';
import { cuttingProxy } from '../testing/cutting-proxy.js';
import { TrytonTrade } from '../testing/tryton-trade.js';
import { TrytonConnector } from './tryton-connector.js';
import { TrytonModels } from './tryton-model.js';
import { TrytonRpc } from './tryton-rpc.js';

const url = new URL(process.env.COUNTERSIGN_TEST_TRYTON as string);
const pace = new Pace({ at_once: 4, per_second: 1_000 });
const modelsOf = (user: string, password: string, at = url) =>
  new TrytonModels(new TrytonRpc({ url: at, user, company: 1 }, async () => password, pace));
const erp = new TrytonConnector(modelsOf('agent', 'agent-Pass-1'), url, 1, true);
const trade = new TrytonTrade(modelsOf('admin', 'admin'));
const signal = new AbortController().signal;
const today = new Date().toISOString().slice(0, 10);
const page = { limit: 50 };
const attempt = () => ({ key: randomUUID(), signal, deadline_ms: Date.now() + 30_000 });
let sale: number;

beforeAll(async () => {
  await trade.open();
  await trade.count(10);
  sale = await trade.sale(12);
});

test('stock is what is on hand at each place, and what is left of it without the assigned moves', async () => {
  const stock = () => erp.find('stock', { where: { product: trade.product } }, page);
  const fields = { product: trade.product, location: 'STO', quantity: 10 };
  expect((await stock()).items.map((item) => item.fields)).toEqual([{ ...fields, assigned: 0, available: 10 }]);
  await trade.assign(sale);
  expect((await stock()).items.map((item) => item.fields)).toEqual([{ ...fields, assigned: 10, available: 0 }]);
});

test.each([-1, 999_999, '1; DROP TABLE stock_move'])('a product that does not exist is nowhere: %s', async (product) => {
  expect((await erp.find('stock', { where: { product } }, page)).items).toEqual([]);
});

test('reservations are the assigned moves of an order', async () => {
  const { items } = await erp.find('reservation', { where: { order: String(sale) } }, page);
  expect(items.map(({ status, fields }) => [status, fields])).toEqual([
    ['assigned', { order: String(sale), product: trade.product, quantity: 10, location: 'STO' }],
  ]);
});

test.each(['999999', 'no-such-order', '1 OR 1=1'])('an order that does not exist has no reservations: %s', async (order) => {
  expect((await erp.find('reservation', { where: { order } }, page)).items).toEqual([]);
});

test('a shortage is a product whose forecast is below zero, with its supplier', async () => {
  const { items } = await erp.find('shortage', { where: { party: trade.supplier, id: trade.product } }, page);
  const fields = { product: trade.product, available: 10, missing: 2, required: 12, party: trade.supplier };
  expect(items.map((item) => item.fields)).toEqual([fields]);
  const other = await erp.find('shortage', { where: { party: trade.customer, id: trade.product } }, page);
  expect(other.items).toEqual([]);
});

test('pages of stock and shortages follow each other', async () => {
  const first = await erp.find('shortage', { where: {} }, { limit: 1 });
  expect(first.items).toHaveLength(1);
  const ids = new Set([first.items[0]?.id]);
  let cursor = first.next_cursor;
  while (cursor !== null) {
    const next = await erp.find('shortage', { where: {} }, { limit: 1, cursor });
    for (const { id } of next.items) expect(ids.size).toBeLessThan(ids.add(id).size);
    cursor = next.next_cursor;
  }
  expect(ids).toContain(String(trade.product));
});

test('an invoice is overdue from the day after its due day', async () => {
  const id = String(await trade.invoice(await trade.sale(1), today));
  const overdue = async (day: string) => {
    const { items } = await erp.find('invoice', { where: { party: trade.customer }, overdue_at: day }, { limit: 100 });
    return items.find((item) => item.id === id);
  };
  expect(await overdue(today)).toBeUndefined();
  expect(await overdue('2099-01-01')).toMatchObject({ status: 'posted', fields: { due_date: today, amount_to_pay: '9.00' } });
});

test('a bill posts the draft that Tryton made for the order, once', async () => {
  const purchase = await trade.purchase(3);
  const by = attempt();
  const reference = `A-${randomUUID().slice(0, 8)}`;
  const bill = { party: trade.supplier, purchase: String(purchase), reference, invoice_date: today, total_amount: '27.00' };
  const posted = await erp.create('vendor_bill', bill, by);
  expect(posted).toMatchObject({ status: 'posted', reference, fields: { total_amount: '27.00' } });
  expect(await erp.readBack('vendor_bill', by.key)).toEqual({ kind: 'present', record: posted });
  await expect(erp.create('vendor_bill', bill, attempt())).rejects.toMatchObject({
    more: { effect: 'none', details: { path: '/invoice_number', reason: 'posted_before' } },
  });
  const later = { ...bill, reference: `${reference}-2` };
  await expect(erp.create('vendor_bill', later, attempt())).rejects.toMatchObject({
    more: { effect: 'none', details: { path: '/purchase_order', reason: 'nothing_to_bill' } },
  });
});

test('the answer of the post is cut after Tryton committed: its mark finds the posted bill', async () => {
  const purchase = String(await trade.purchase(5));
  const { url: behind, server } = await cuttingProxy(url, 'account.invoice.post');
  const cut = new TrytonConnector(modelsOf('agent', 'agent-Pass-1', behind), behind, 1, true);
  const by = attempt();
  const bill = { party: trade.supplier, purchase, reference: randomUUID(), invoice_date: today, total_amount: '45.00' };
  await expect(cut.create('vendor_bill', bill, by)).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'unknown' } });
  expect(await erp.readBack('vendor_bill', by.key)).toMatchObject({ kind: 'present', record: { status: 'posted' } });
  server.close();
});

test('two bills for one draft at once: one is posted, the other is refused', async () => {
  const purchase = String(await trade.purchase(4));
  const bill = { party: trade.supplier, purchase, invoice_date: today, total_amount: '36.00' };
  const sent = ['x', 'y'].map((name) => erp.create('vendor_bill', { ...bill, reference: `${name}-${randomUUID()}` }, attempt()));
  const ended = await Promise.allSettled(sent);
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a draft that somebody changes before it is posted stays a draft', async () => {
  const purchase = String(await trade.purchase(6));
  const bill = { party: trade.supplier, purchase, reference: randomUUID(), invoice_date: today, total_amount: '54.00' };
  const mine = randomUUID();
  const colleague = modelsOf('admin', 'admin');
  const models = modelsOf('agent', 'agent-Pass-1');
  const press = models.press.bind(models);
  models.press = async (model, id, button, until, timestamp) => {
    await colleague.write(model, id, { reference: mine }, signal);
    return press(model, id, button, until, timestamp);
  };
  const asked = new TrytonConnector(models, url, 1, true).create('vendor_bill', bill, attempt());
  await expect(asked).rejects.toMatchObject({ more: { effect: 'none', details: { reason: 'ConcurrencyException' } } });
  const drafts = await erp.find('vendor_bill', { where: { reference: mine, state: 'draft' } }, page);
  expect(drafts.items.map(({ fields }) => fields.total_amount)).toContain('54.00');
});

test('a warning of Tryton is told in its words', async () => {
  const people = modelsOf('admin', 'admin');
  const post = async () => {
    const id = await trade.bill(await trade.purchase(2));
    await people.write('account.invoice', id, { reference: trade.code, invoice_date: today }, signal);
    return people.press('account.invoice', id, 'post', signal);
  };
  await post();
  await expect(post()).rejects.toMatchObject({ message: expect.stringContaining(trade.code), more: { class: 'semantic', effect: 'none' } });
});

test.each<[string, object, string]>([
  ['another total', { total_amount: '27.01' }, '/total'],
  ['an order that does not exist', { purchase: '999999' }, '/purchase_order'],
  ['an order to another supplier', { party: 1 }, '/purchase_order'],
  ['another currency', { currency: 2 }, '/currency'],
])('%s is refused by the name of the agent, and nothing is posted', async (_title, change, path) => {
  const purchase = String(await trade.purchase(3));
  const bill = { party: trade.supplier, purchase, reference: randomUUID(), invoice_date: today, total_amount: '27.00', ...change };
  const by = attempt();
  await expect(erp.create('vendor_bill', bill, by)).rejects.toMatchObject({ more: { effect: 'none', details: { path } } });
  expect(await erp.readBack('vendor_bill', by.key)).toEqual({ kind: 'absent' });
});
