import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Pace } from '../hermes/pace.js';
import { busyProxy } from '../testing/busy-proxy.js';
import { describeHermes } from '../testing/hermes-suite.js';
import { OdooFixture } from '../testing/odoo-fixture.js';
import { OdooApi } from './odoo-api.js';
import { OdooConnector } from './odoo-connector.js';

const fixture = new OdooFixture();
const signal = new AbortController().signal;
let url: URL;
let erp: OdooConnector;

const proxies: Server[] = [];
const apiWith = (key: string, database = 'acme', at = url) =>
  new OdooApi({ url: at, database }, async () => key, new Pace({ at_once: 4, per_second: 1_000 }));

beforeAll(async () => {
  url = await fixture.start();
  erp = new OdooConnector(apiWith(fixture.key), url);
  fixture.tables.add('res.partner', { name: 'Supplier Alpha', active: true }, 1042);
  fixture.tables.add('product.product', { name: 'Widget A', active: true }, 8821);
});
afterAll(() => {
  for (const proxy of proxies) proxy.close();
  return fixture.stop();
});

const order = {
  partner_id: 1042,
  order_line: [[0, 0, { product_id: 8821, product_qty: 10, price_unit: 12.5 }]],
  date_planned: '2099-05-01 00:00:00',
};

describeHermes('the shapes of Odoo 19', {
  erp: () => erp,
  order: () => order,
  orderToNobody: () => ({ ...order, partner_id: 7 }),
  edit: async (id, reference) => void Object.assign(fixture.tables.row('purchase.order', Number(id)), { origin: reference }),
  busyAfter: {
    create: 'purchase.order/create',
    cancel: 'purchase.order/button_cancel',
    connect: async (text) => {
      const { url: behind, server } = await busyProxy(url, text);
      proxies.push(server);
      return new OdooConnector(apiWith(fixture.key, 'acme', behind), behind);
    },
  },
});

test('what Hermes receives is what Odoo gets, and the mark stands in the origin', async () => {
  const key = randomUUID();
  const asked = { ...order, x_studio_cost_center: 'project_x' };
  // A mapping may keep the word of the agent for the summary.
  await erp.create('purchase_order', { ...asked, supplier: 'sup_alpha' }, { key, signal, deadline_ms: Date.now() + 10_000 });
  const sent = fixture.requests.findLast(({ path }) => path === '/json/2/purchase.order/create');
  expect(sent?.body).toEqual({ vals_list: [{ ...asked, origin: expect.stringMatching(/^cs:[\w-]{22}$/) }] });
});

test('the absence of a write is no proof: nothing tells how long a transaction runs', () => {
  expect(erp.absence_is_final).toBe(false);
});

const read = (api: OdooApi, model = 'purchase.order', named: object = { domain: [], fields: [], limit: 1, order: 'id asc' }) =>
  api.call(model, 'search_read', named as never, signal);

test.each<[string, () => Promise<unknown>, object]>([
  [
    'a key that has expired',
    () => read(apiWith('old')),
    { code: 'AUTH_REQUIRED', message: expect.stringContaining('rotate'), more: { effect: 'none' } },
  ],
  ['another database', () => read(apiWith(fixture.key, 'other')), { more: { class: 'not_found', effect: 'none' } }],
  ['a model that does not exist', () => read(apiWith(fixture.key), 'no.model'), { more: { class: 'not_found', effect: 'none' } }],
  [
    'a field that does not exist',
    () => read(apiWith(fixture.key), 'res.partner', { domain: [], fields: ['nope'], limit: 1, order: 'id asc' }),
    { more: { class: 'semantic', effect: 'none' } },
  ],
])('%s is mapped to the taxonomy', async (_title, call, error) => {
  await expect(call()).rejects.toMatchObject({ countersign_tool_error: true, ...error });
});

test('what an error says in `debug` reaches nobody', async () => {
  const error = await read(apiWith(fixture.key), 'no.model').catch((thrown: Error) => thrown);
  expect(JSON.stringify({ ...(error as object), message: (error as Error).message })).not.toContain('hunter2');
});

test('the key is in no error', async () => {
  const error = await read(apiWith('secret-key-of-the-tenant')).catch((thrown: Error) => thrown);
  expect(JSON.stringify({ ...(error as object), message: (error as Error).message })).not.toContain('secret-key');
});
