import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { Pace } from '../hermes/pace.js';
import { cuttingProxy } from '../testing/cutting-proxy.js';
import { TrytonTrade } from '../testing/tryton-trade.js';
import { TrytonConnector } from './tryton-connector.js';
import { countOf } from './tryton-counts.js';
import { TrytonModels } from './tryton-model.js';
import { TrytonRpc } from './tryton-rpc.js';

const url = new URL(process.env.COUNTERSIGN_TEST_TRYTON as string);
const pace = new Pace({ at_once: 4, per_second: 1_000 });
const modelsOf = (user: string, password: string, at = url) =>
  new TrytonModels(new TrytonRpc({ url: at, user, company: 1 }, async () => password, pace));
const models = modelsOf('agent', 'agent-Pass-1');
const erp = new TrytonConnector(models, url, 1, true);
const trade = new TrytonTrade(modelsOf('admin', 'admin'));
const signal = new AbortController().signal;
const attempt = () => ({ key: randomUUID(), signal, deadline_ms: Date.now() + 30_000 });
let stock: string;

const onHand = async () => (await erp.read('stock', stock))?.fields.quantity;

beforeAll(async () => {
  await trade.open();
  await trade.count(10);
  const [found] = (await erp.find('stock', { where: { product: trade.product } }, { limit: 1 })).items;
  stock = found?.id as string;
});
beforeEach(async () => {
  if ((await onHand()) !== 10) await erp.update('stock', stock, { on_hand: 10 }, attempt());
});

test.each([7, 12, 0])('a count of %i leaves so many, and its mark finds the stock', async (on_hand) => {
  const by = attempt();
  const counted = await erp.update('stock', stock, { on_hand }, by);
  expect([counted.id, counted.fields.quantity, await onHand()]).toEqual([stock, on_hand, on_hand]);
  expect(await erp.readBack('stock', by.key)).toEqual({ kind: 'present', record: counted });
});

test('a count that finds what was expected is recorded as well', async () => {
  const by = attempt();
  await erp.update('stock', stock, { on_hand: 10 }, by);
  expect(await countOf(models, by.key)).toMatchObject({ state: 'done', product: trade.product });
});

test('a count that never was is absent', async () => {
  expect(await erp.readBack('stock', randomUUID())).toEqual({ kind: 'absent' });
});

test('the answer is cut after Tryton moved the stock: the mark finds the count', async () => {
  const { url: behind, server } = await cuttingProxy(url, 'stock.inventory.confirm');
  const cut = new TrytonConnector(modelsOf('agent', 'agent-Pass-1', behind), behind, 1, true);
  const by = attempt();
  const lost = cut.update('stock', stock, { on_hand: 4 }, by);
  await expect(lost).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'unknown' } });
  expect(await erp.readBack('stock', by.key)).toMatchObject({ kind: 'present', record: { fields: { quantity: 4 } } });
  server.close();
});

test('the answer to the announcement is cut: no stock moved, and the draft is no proof', async () => {
  const { url: behind, server } = await cuttingProxy(url, 'stock.inventory.create');
  const cut = new TrytonConnector(modelsOf('agent', 'agent-Pass-1', behind), behind, 1, true);
  const by = attempt();
  await expect(cut.update('stock', stock, { on_hand: 4 }, by)).rejects.toMatchObject({ more: { effect: 'none' } });
  expect(await onHand()).toBe(10);
  expect(await erp.readBack('stock', by.key)).toMatchObject({ kind: 'unknown', why: expect.stringContaining('draft') });
  server.close();
});

test('what Tryton refuses to confirm is cancelled, and no stock moved', async () => {
  const refusing = modelsOf('agent', 'agent-Pass-1');
  const press = refusing.press.bind(refusing);
  // The button of a record that does not exist: a refusal of Tryton, as any other.
  refusing.press = async (model, id, button, until) => press(model, button === 'confirm' ? -1 : id, button, until);
  const by = attempt();
  const asked = new TrytonConnector(refusing, url, 1, true).update('stock', stock, { on_hand: 4 }, by);
  await expect(asked).rejects.toMatchObject({ more: { effect: 'none' } });
  expect([await onHand(), await erp.readBack('stock', by.key)]).toEqual([10, { kind: 'absent' }]);
});

test.each<[string, string, Record<string, unknown>, string]>([
  ['a place that does not exist', '999999.1', { on_hand: 1 }, '/id'],
  ['a product that does not exist', '3.999999', { on_hand: 1 }, '/id'],
  ['an id that is none', '1 OR 1=1', { on_hand: 1 }, '/id'],
  ['less than nothing', '', { on_hand: -1 }, '/on_hand'],
  ['half a piece', '', { on_hand: 1.5 }, '/on_hand'],
  ['another field', '', { on_hand: 1, company: 2 }, '/company'],
])('a count of %s is refused, and nothing is written', async (_title, id, values, path) => {
  const by = attempt();
  const asked = erp.update('stock', id || stock, values, by);
  await expect(asked).rejects.toMatchObject({ code: 'VALIDATION_ERROR', more: { effect: 'none', details: { path } } });
  expect(await countOf(models, by.key)).toBeUndefined();
});

test('a change of a customer carries its mark as a code of the party, and keeps the newest', async () => {
  const id = String(trade.customer);
  const name = String((await erp.read('customer', id))?.fields.name);
  const [first, second] = [attempt(), attempt()];
  await erp.update('customer', id, { name: `${name} ` }, first);
  const changed = await erp.update('customer', id, { name }, second);
  expect(changed).toMatchObject({ reference: '', fields: { name } });
  expect(await erp.readBack('customer', second.key)).toEqual({ kind: 'present', record: changed });
  expect(await erp.readBack('customer', first.key)).toEqual({ kind: 'absent' });
});

test('a list that is none is refused, and nothing is written', async () => {
  const by = attempt();
  const asked = erp.update('supplier', String(trade.supplier), { addresses: 7 }, by);
  await expect(asked).rejects.toMatchObject({ code: 'VALIDATION_ERROR', more: { effect: 'none', details: { path: '/addresses' } } });
  expect(await erp.readBack('supplier', by.key)).toEqual({ kind: 'absent' });
});

test('a product has no place for a mark: it is not written', async () => {
  await expect(erp.update('product', String(trade.product), { name: 'X' }, attempt())).rejects.toMatchObject({
    more: { effect: 'none', details: { reason: 'not_supported' } },
  });
});
