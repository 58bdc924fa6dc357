import type { RunContext } from '@countersign/tool-kit';
import { testContext } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { proposeCustomerUpdate } from '../customer/propose-customer-update.js';
import { customerChange, stockCount } from '../goldens.js';
import { proposeStockAdjustment } from '../inventory/propose-stock-adjustment.js';
import { ScratchLedger } from '../scratch-ledger.js';
import { proposeWrite } from './propose-write.js';

const ledger = new ScratchLedger();
beforeEach(() => ledger.make());
afterEach(() => ledger.remove());

const context = (more: Partial<RunContext> = {}) => testContext({ settings: ledger.settings, ...more });
const write = (input: object) => proposeWrite.run({ reason: 'asked', ...input } as never, context());
const stored = async (name: string) => (await ledger.records())[name];

test('a staged change changes nothing until it is applied, and is applied once', async () => {
  const { proposal_id } = (await proposeCustomerUpdate.run(customerChange as never, context())) as { proposal_id: string };
  expect((await stored('customer t_cus_contoso'))?.fields.city).toBe('Vienna');
  const apply = { operation: 'apply_proposal', kind: 'customer', id: proposal_id };
  expect(await write(apply)).toMatchObject({ record_id: 't_cus_contoso' });
  expect((await stored('customer t_cus_contoso'))?.fields.city).toBe('Graz');
  expect((await stored(`proposal ${proposal_id}`))?.status).toBe('applied');
  await expect(write(apply)).rejects.toMatchObject({ more: { effect: 'none', details: { reason: 'not_proposed' } } });
});

test('a change whose answer is lost is claimed by its call: no other call applies it again', async () => {
  const { proposal_id } = (await proposeStockAdjustment.run(stockCount as never, context())) as { proposal_id: string };
  const apply = { operation: 'apply_proposal', kind: 'stock', id: proposal_id, reason: 'asked' };
  const ctx = context();
  ledger.lie({ cut_after_commit: 'stock' });
  await expect(proposeWrite.run(apply as never, ctx)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  ledger.lie({});
  expect((await stored(`proposal ${proposal_id}`))?.status).toBe('applying');
  await ledger.edit('stock', 't_stock_bracket', { fields: { on_hand: 700 } });
  await expect(write(apply)).rejects.toMatchObject({ message: expect.stringContaining(ctx.call_id), more: { effect: 'none' } });
  expect((await stored('stock t_stock_bracket'))?.fields.on_hand).toBe(700);
  expect(await proposeWrite.reconcile?.(apply as never, ctx)).toMatchObject({ kind: 'happened' });
  await proposeWrite.run(apply as never, context({ call_id: ctx.call_id }));
  expect((await stored(`proposal ${proposal_id}`))?.status).toBe('applied');
});

test('of two calls that apply a change at once, one does', async () => {
  const { proposal_id } = (await proposeStockAdjustment.run(stockCount as never, context())) as { proposal_id: string };
  const apply = { operation: 'apply_proposal', kind: 'stock', id: proposal_id };
  const ended = await Promise.allSettled([write(apply), write(apply)]);
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a counted quantity that is applied changes what is available', async () => {
  const { proposal_id } = (await proposeStockAdjustment.run(stockCount as never, context())) as { proposal_id: string };
  await write({ operation: 'apply_proposal', kind: 'stock', id: proposal_id });
  expect((await stored('stock t_stock_bracket'))?.fields).toMatchObject({ on_hand: 897, available: 897 });
});

test.each<[string, object, string]>([
  ['a create without fields', { operation: 'create', kind: 'purchase_order' }, '/fields'],
  ['a move without a record', { operation: 'act', kind: 'sales_order', action: 'process' }, '/id'],
  ['an update of a record that does not exist', { operation: 'update', kind: 'supplier', id: 'sup_x', fields: { a: 1 } }, '/id'],
  ['a proposal about another kind', { operation: 'apply_proposal', kind: 'supplier', id: 'prop_1' }, '/id'],
])('%s is refused by the input that is wrong', async (_title, input, path) => {
  await expect(write(input)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', more: { effect: 'none', details: { path } } });
});

test('a proposal about a record that does not exist is refused when it is applied, and stays proposed', async () => {
  const { proposal_id } = (await proposeCustomerUpdate.run({ ...customerChange, customer_id: 'cus_x' } as never, context())) as {
    proposal_id: string;
  };
  await expect(write({ operation: 'apply_proposal', kind: 'customer', id: proposal_id })).rejects.toMatchObject({
    more: { class: 'not_found', effect: 'none' },
  });
  expect((await stored(`proposal ${proposal_id}`))?.status).toBe('proposed');
});

test('a proposal that changes nothing is refused', async () => {
  await expect(proposeCustomerUpdate.run({ ...customerChange, changes: {} } as never, context())).rejects.toMatchObject({
    more: { details: { path: '/changes' } },
  });
});
