import { randomUUID } from 'node:crypto';
import type { Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Pace } from '../hermes/pace.js';
import type { Values } from '../hermes/port.js';
import { busyProxy } from '../testing/busy-proxy.js';
import { cuttingProxy } from '../testing/cutting-proxy.js';
import { describeHermes } from '../testing/hermes-suite.js';
import { TrytonConnector } from './tryton-connector.js';
import { TrytonModels } from './tryton-model.js';
import { TrytonRpc } from './tryton-rpc.js';

const URL_OF_TRYTON = new URL(process.env.COUNTERSIGN_TEST_TRYTON as string);
const signal = new AbortController().signal;
let models: TrytonModels;
let erp: TrytonConnector;
let order: Values;

function rpcOf(url: URL, password = 'agent-Pass-1', pace = new Pace({ at_once: 4, per_second: 1_000 })): TrytonRpc {
  return new TrytonRpc({ url, user: 'agent', company: 1 }, async () => password, pace);
}

async function idOf(model: string, code: string): Promise<number> {
  const [found] = await models.search(model, [['code', '=', code]], [], 1, signal);
  return Number(found?.id);
}

beforeAll(async () => {
  models = new TrytonModels(rpcOf(URL_OF_TRYTON));
  erp = new TrytonConnector(models, URL_OF_TRYTON, 1, await models.endsWithin(10_000, signal));
  const product = await idOf('product.product', 'p_widget_a');
  const [unit] = await models.search('product.uom', [['name', '=', 'Unit']], [], 1, signal);
  const line = { product, quantity: 10, unit: unit?.id, unit_price: '12.50' };
  order = { party: await idOf('party.party', 'sup_alpha'), delivery_date: '2099-05-01', lines: [['create', [line]]] };
});

const proxies: Server[] = [];
afterAll(() => {
  for (const proxy of proxies) proxy.close();
});

const attempt = () => ({ key: randomUUID(), signal, deadline_ms: Date.now() + 30_000 });

describeHermes('Tryton 7.0', {
  erp: () => erp,
  order: () => order,
  orderToNobody: () => ({ ...order, party: 999_999 }),
  edit: (id, reference) => models.write('purchase.purchase', Number(id), { reference }, signal),
  busyAfter: {
    create: 'purchase.purchase.create',
    cancel: 'purchase.purchase.cancel',
    connect: async (text) => {
      const { url, server } = await busyProxy(URL_OF_TRYTON, text);
      proxies.push(server);
      return new TrytonConnector(new TrytonModels(rpcOf(url)), url, 1, true);
    },
  },
});

test('the database of the seed ends what runs on, so that absence is final', () => {
  expect(erp.absence_is_final).toBe(true);
});

test('a user without the module of the guard, or a longer timeout, makes absence no proof', async () => {
  expect(await models.endsWithin(1_000, signal)).toBe(false);
});

test('decimals and dates are exact', async () => {
  const { id } = await erp.create('purchase_order', order, attempt());
  const read = await erp.read('purchase_order', id);
  expect(read?.fields).toMatchObject({
    delivery_date: '2099-05-01',
    total_amount: '125.00',
    lines: [{ quantity: 10, unit_price: '12.50' }],
  });
});

test('a session that has expired is opened again, once', async () => {
  const rpc = rpcOf(URL_OF_TRYTON);
  Object.assign(rpc, { session: Promise.resolve(`Session ${Buffer.from('agent:1:deadbeef').toString('base64')}`) });
  expect(await rpc.call('party.party.search_read', [[], 0, 1, null, ['name']], signal)).toHaveLength(1);
});

test('a wrong password asks for credentials, and nothing is sent', async () => {
  const call = rpcOf(URL_OF_TRYTON, 'wrong').call('party.party.search', [[]], signal);
  await expect(call).rejects.toMatchObject({ code: 'AUTH_REQUIRED', more: { effect: 'none' } });
});

test.each<[string, () => Promise<unknown>, object]>([
  ['a UserError, which Tryton answers with 200', () => models.press('purchase.purchase', -1, 'confirm', signal), {}],
  [
    'a method that does not exist',
    () => models.press('purchase.purchase', 1, 'nope', signal),
    { more: { class: 'authorization', effect: 'none' } },
  ],
  [
    'a field that does not exist',
    () => models.write('purchase.purchase', 1, { cost_center: 'x' }, signal),
    { code: 'VALIDATION_ERROR', more: { details: { path: '/cost_center' } } },
  ],
  [
    'a product that does not exist',
    () => erp.create('purchase_order', { ...order, lines: [['create', [{ product: 99_999, quantity: 1 }]]] }, attempt()),
    { more: { details: { path: '/line_items/0/product' } } },
  ],
])('%s is mapped to the taxonomy', async (_title, call, error) => {
  await expect(call()).rejects.toMatchObject({ countersign_tool_error: true, ...error });
});

test('the answer is cut after Tryton committed: the write is in doubt, and its mark finds the one order', async () => {
  const { url, server } = await cuttingProxy(URL_OF_TRYTON, 'purchase.purchase.create');
  proxies.push(server);
  const behind = new TrytonConnector(new TrytonModels(rpcOf(url)), url, 1, true);
  const by = attempt();
  const lost = behind.create('purchase_order', order, by);
  await expect(lost).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'unknown' } });
  expect(await erp.readBack('purchase_order', by.key)).toMatchObject({ kind: 'present', record: { status: 'draft' } });
});

test('requests keep to the limits of the customer', async () => {
  const pace = new Pace({ at_once: 2, per_second: 20 });
  const rpc = rpcOf(URL_OF_TRYTON, 'agent-Pass-1', pace);
  await rpc.call('party.party.search', [[], 0, 1, null], signal);
  const begun = performance.now();
  await Promise.all(Array.from({ length: 5 }, () => rpc.call('party.party.search', [[], 0, 1, null], signal)));
  expect(performance.now() - begun).toBeGreaterThanOrEqual(199);
});
