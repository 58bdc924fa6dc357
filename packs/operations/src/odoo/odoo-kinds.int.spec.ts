import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { markOf } from '../hermes/attempt-mark.js';
import { Pace } from '../hermes/pace.js';
import type { Values } from '../hermes/port.js';
import { OdooFixture } from '../testing/odoo-fixture.js';
import { OdooApi } from './odoo-api.js';
import { OdooConnector } from './odoo-connector.js';

const fixture = new OdooFixture();
const { tables } = fixture;
let erp: OdooConnector;

beforeAll(async () => {
  const url = await fixture.start();
  erp = new OdooConnector(
    new OdooApi({ url, database: 'acme' }, async () => fixture.key, new Pace({ at_once: 4, per_second: 1_000 })),
    url,
  );
});
afterAll(() => fixture.stop());

const signal = new AbortController().signal;
const attempt = () => ({ key: randomUUID(), signal, deadline_ms: Date.now() + 10_000 });
const page = { limit: 50 };
const [ALPHA, BETA, WIDGET, STOCK_PLACE, ORDER] = [1042, 1043, 8821, 8, 55];
const confirmed = { state: 'purchase', partner_id: ALPHA, currency_id: 125, amount_total: 625, invoice_ids: [], order_line: [] };
const bill = { partner_id: ALPHA, purchase: String(ORDER), reference: 'A-77', invoice_date: '2026-11-02', amount_total: '625.00' };

beforeEach(() => {
  tables.clear();
  tables.add('res.partner', { name: 'Alpha', active: true }, ALPHA);
  tables.add('res.partner', { name: 'Beta', active: true }, BETA);
  tables.add('product.product', { name: 'Widget A', active: true, qty_available: 10, virtual_available: -2, seller_ids: [3] }, WIDGET);
  tables.add('product.supplierinfo', { partner_id: ALPHA }, 3);
  tables.add('stock.location', { complete_name: 'WH/Stock', usage: 'internal' }, STOCK_PLACE);
  tables.add('stock.location', { complete_name: 'Customers', usage: 'customer' }, 9);
  tables.add(
    'stock.quant',
    { product_id: WIDGET, location_id: STOCK_PLACE, quantity: 10, reserved_quantity: 4, available_quantity: 6 },
    70,
  );
  tables.add('stock.quant', { product_id: WIDGET, location_id: 9, quantity: 99 }, 71);
  tables.add('purchase.order', confirmed, ORDER);
});

const postings = () => fixture.requests.filter(({ path }) => path.endsWith('/action_post')).length;
const code = (path: string, reason: string) => ({ more: { effect: 'none', details: { path, reason } } });

test('stock is what is at places of the company, with the name of the place', async () => {
  const { items } = await erp.find('stock', { where: { product: WIDGET } }, page);
  expect(items.map(({ id, fields }) => [id, fields])).toEqual([
    ['70', { product_id: WIDGET, quantity: 10, reserved_quantity: 4, available_quantity: 6, location: 'WH/Stock' }],
  ]);
  expect((await erp.find('stock', { where: { product: WIDGET, location: 'elsewhere' } }, page)).items).toEqual([]);
});

test('a count is one call, its stock move carries the mark, and reading back finds the stock', async () => {
  const by = attempt();
  const before = fixture.requests.filter(({ path }) => path.endsWith('/write')).length;
  const counted = await erp.update('stock', '70', { on_hand: 7 }, by);
  expect(counted.fields).toMatchObject({ quantity: 7, available_quantity: 3 });
  expect(fixture.requests.filter(({ path }) => path.endsWith('/write')).length).toBe(before + 1);
  expect([...tables.of('stock.move').values()]).toMatchObject([{ inventory_name: `cs:${markOf(by.key)}` }]);
  expect(await erp.readBack('stock', by.key)).toEqual({ kind: 'present', record: counted });
  expect(await erp.readBack('stock', randomUUID())).toEqual({ kind: 'absent' });
});

test.each<[string, string, Values, string]>([
  ['a stock that does not exist', '12345', { on_hand: 1 }, '/id'],
  ['a stock at a customer', '71', { on_hand: 1 }, '/id'],
  ['another field', '70', { on_hand: 1, quantity: 3 }, '/quantity'],
])('a count of %s is refused', async (_title, id, values, path) => {
  await expect(erp.update('stock', id, values, attempt())).rejects.toMatchObject({ more: { effect: 'none', details: { path } } });
});

test('reservations are the reserved moves for the lines of an order', async () => {
  tables.add('sale.order', { order_line: [] }, 20);
  tables.add('sale.order.line', { order_id: 20 }, 21);
  tables.add('stock.move', { sale_line_id: 21 }, 22);
  const reserved = { product_id: WIDGET, quantity: 4, move_id: 22 };
  tables.add('stock.move.line', { ...reserved, location_id: STOCK_PLACE, state: 'assigned' }, 23);
  tables.add('stock.move.line', { ...reserved, location_id: 9, state: 'assigned' }, 24);
  tables.add('stock.move.line', { ...reserved, location_id: STOCK_PLACE, state: 'done' }, 25);
  const { items } = await erp.find('reservation', { where: { order: '20' } }, page);
  expect(items.map(({ id, fields }) => [id, fields])).toEqual([
    ['23', { order: '20', product_id: WIDGET, quantity: 4, location: 'WH/Stock' }],
  ]);
});

test('a shortage is a product whose forecast is below zero, with its first supplier', async () => {
  const { items } = await erp.find('shortage', { where: { partner_id: ALPHA } }, page);
  const fields = { product_id: WIDGET, available: 10, missing: 2, required: 12, partner_id: ALPHA };
  expect(items.map((item) => item.fields)).toEqual([fields]);
  expect((await erp.find('shortage', { where: { partner_id: BETA } }, page)).items).toEqual([]);
});

test('an invoice is overdue the day after its due day, until it is paid', async () => {
  const invoice = { move_type: 'out_invoice', state: 'posted', partner_id: ALPHA, invoice_date_due: '2026-08-31', amount_total: 10 };
  tables.add('account.move', { ...invoice, payment_state: 'partial' }, 30);
  tables.add('account.move', { ...invoice, payment_state: 'paid' }, 31);
  tables.add('account.move', { ...invoice, move_type: 'in_invoice', payment_state: 'not_paid' }, 32);
  const overdue = async (day: string) => (await erp.find('invoice', { where: {}, overdue_at: day }, page)).items.map(({ id }) => id);
  expect([await overdue('2026-08-31'), await overdue('2026-09-01')]).toEqual([[], ['30']]);
  expect((await erp.read('invoice', '31'))?.status).toBe('paid');
  expect(await erp.read('invoice', '32')).toBeUndefined();
});

test('a production order goes through its states, and what is reserved is called assigned', async () => {
  const by = attempt();
  const made = await erp.create('production_order', { product_id: WIDGET, product_qty: 3, date_start: '2099-04-01 00:00:00' }, by);
  expect(made).toMatchObject({ status: 'draft', fields: { product_id: WIDGET, product_qty: 3 } });
  expect(await erp.readBack('production_order', by.key)).toEqual({ kind: 'present', record: made });
  const states: string[] = [];
  for (const action of ['wait', 'assign', 'run', 'done'] as const)
    states.push((await erp.act('production_order', made.id, action, attempt())).status);
  expect(states).toEqual(['waiting', 'assigned', 'running', 'done']);
  await expect(erp.act('production_order', made.id, 'draft', attempt())).rejects.toMatchObject({
    more: { effect: 'none', details: { reason: 'not_supported' } },
  });
});

test('a production order of an unknown product is refused by the name of the agent', async () => {
  const asked = erp.create('production_order', { product_id: 1, product_qty: 3 }, attempt());
  await expect(asked).rejects.toMatchObject(code('/product', 'not_found'));
});

test('a bill is the draft that Odoo makes of the order, posted once', async () => {
  const by = attempt();
  const posted = await erp.create('vendor_bill', bill, by);
  expect(posted).toMatchObject({ status: 'posted', reference: 'A-77', fields: { amount_total: 625, invoice_date: '2026-11-02' } });
  expect(await erp.readBack('vendor_bill', by.key)).toEqual({ kind: 'present', record: posted });
  await expect(erp.create('vendor_bill', bill, attempt())).rejects.toMatchObject(code('/invoice_number', 'posted_before'));
  const other = { ...bill, reference: 'A-78' };
  await expect(erp.create('vendor_bill', other, attempt())).rejects.toMatchObject(code('/purchase_order', 'nothing_to_bill'));
  expect(tables.of('account.move').size).toBe(1);
});

test('a draft that people made is the bill: no second one is made', async () => {
  tables.add('account.move', { move_type: 'in_invoice', state: 'draft', partner_id: ALPHA, currency_id: 125, amount_total: 625 }, 40);
  tables.row('purchase.order', ORDER).invoice_ids = [40];
  expect((await erp.create('vendor_bill', bill, attempt())).id).toBe('40');
});

test.each<[string, object, string, string]>([
  ['another total', { amount_total: '625.01' }, '/total', 'other_total'],
  ['an order that does not exist', { purchase: '999' }, '/purchase_order', 'not_found'],
  ['an order to another supplier', { partner_id: BETA }, '/purchase_order', 'other_supplier'],
  ['another currency', { currency_id: 1 }, '/currency', 'currency_of_party'],
])('a bill with %s is refused, and nothing is made or posted', async (_title, change, path, reason) => {
  const before = postings();
  await expect(erp.create('vendor_bill', { ...bill, ...change }, attempt())).rejects.toMatchObject(code(path, reason));
  expect([tables.of('account.move').size, postings()]).toEqual([0, before]);
});

test('an order that is not confirmed has no bill', async () => {
  tables.row('purchase.order', ORDER).state = 'draft';
  await expect(erp.create('vendor_bill', bill, attempt())).rejects.toMatchObject(code('/purchase_order', 'nothing_to_bill'));
});

test('an unknown product of a line is refused by the name of the agent', async () => {
  const order = { partner_id: ALPHA, order_line: [[0, 0, { product_id: 1, product_qty: 1, price_unit: 1 }]] };
  await expect(erp.create('purchase_order', order, attempt())).rejects.toMatchObject(code('/line_items/0/product', 'not_found'));
});

test('a change of a customer carries its mark in the reference of the customer', async () => {
  const by = attempt();
  const changed = await erp.update('customer', String(ALPHA), { city: 'Graz' }, by);
  expect(changed.fields).toMatchObject({ city: 'Graz' });
  expect(await erp.readBack('customer', by.key)).toEqual({ kind: 'present', record: changed });
});

test.each(['product', 'invoice'] as const)('a %s has no field for a mark: it is not written', async (kind) => {
  await expect(erp.update(kind, String(WIDGET), { name: 'X' }, attempt())).rejects.toMatchObject({
    more: { effect: 'none', details: { reason: 'not_supported' } },
  });
});
