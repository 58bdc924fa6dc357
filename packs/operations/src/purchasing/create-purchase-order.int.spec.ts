import type { RunContext, Tool } from '@countersign/tool-kit';
import { effectOf, testContext } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { order } from '../goldens.js';
import { ScratchLedger } from '../scratch-ledger.js';
import { confirmPurchaseOrder } from './confirm-purchase-order.js';
import { createPurchaseOrder as tool } from './create-purchase-order.js';

const MINUTE_MS = 60_000;
const ledger = new ScratchLedger();
beforeEach(() => ledger.make());
afterEach(() => ledger.remove());

const context = (more: Partial<RunContext> = {}) => testContext({ settings: ledger.settings, ...more });
const run = (input: object, ctx = context(), of: Tool = tool) => of.run(input as never, ctx) as Promise<{ po_id: string }>;
const reconcile = (ctx: RunContext) => tool.reconcile?.(order as never, ctx);
const statusOf = async (id: string) => (await ledger.records())[`purchase_order ${id}`]?.status;

test.each<[string, object, string, string]>([
  ['an unknown supplier', { supplier: 'sup_nobody' }, '/supplier', 'not_found'],
  [
    'an unknown product',
    { line_items: [...order.line_items, { product: 'p_none', quantity: 1, unit_price: '1.00' }] },
    '/line_items/1/product',
    'not_found',
  ],
  ['a date in the past', { delivery_date: '2026-01-01' }, '/delivery_date', 'date_in_the_past'],
  ['a currency that the supplier does not have', { currency: 'GBP' }, '/currency', 'currency_of_party'],
])('%s is refused by the name that the agent used, and nothing is written', async (_title, change, path, reason) => {
  const before = await ledger.records();
  await expect(run({ ...order, ...change })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    more: { effect: 'none', details: { path, reason } },
  });
  expect(await ledger.records()).toEqual(before);
});

test('behind a mapping the date is read from what the agent sent', async () => {
  const requested = { ...order, delivery_date: '2026-01-01' };
  const mapped = { partner_id: 7, date_planned: '2026-01-01 00:00:00' };
  await expect(run(mapped, context({ requested }))).rejects.toMatchObject({ more: { details: { path: '/delivery_date' } } });
});

test('the order has its total and its currency', async () => {
  const { po_id } = await run(order);
  const { fields } = (await ledger.records())[`purchase_order ${po_id}`] ?? {};
  expect(fields).toMatchObject({ supplier: 't_sup_alpha', currency: 'EUR', total: '1250.00', cost_center: 'project_x' });
});

test('a cut answer ends as one order: reconcile finds it by its mark', async () => {
  ledger.lie({ cut_after_commit: 'purchase_order' });
  const ctx = context({ fired_at_ms: Date.now() });
  await expect(run(order, ctx)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  const answer = await reconcile(ctx);
  expect(answer).toMatchObject({ kind: 'happened', output: { po_id: expect.stringMatching(/^po_/) } });
  ledger.lie({});
  expect(await run(order, ctx)).toEqual((answer as { output: object }).output);
});

test.each([
  ['a minute ago', 1 * MINUTE_MS, 'did_not_happen'],
  ['14 minutes ago', 14 * MINUTE_MS, 'did_not_happen'],
  ['16 minutes ago', 16 * MINUTE_MS, 'cannot_tell'],
])('no trace of a write that was sent %s', async (_title, ago_ms, kind) => {
  expect(await reconcile(context({ fired_at_ms: Date.now() - ago_ms }))).toMatchObject({ kind });
});

test('no trace of a write that was sent at an unknown time is no proof', async () => {
  expect(await reconcile(context())).toMatchObject({ kind: 'cannot_tell' });
});

test('somebody edits the reference: the order stands, and that is remarked', async () => {
  const said: unknown[] = [];
  const ctx = context({ log: (_message, fields) => said.push(fields) });
  const output = await run(order, ctx);
  await ledger.edit('purchase_order', output.po_id, { reference: 'mine' });
  const remark = expect.stringContaining(`reference_edited: purchase_order ${output.po_id} stands`);
  expect(await tool.verify?.(order as never, output as never, ctx)).toEqual({ kind: 'verified', remark });
  expect(said).toEqual([{ event: 'reference_edited', kind: 'purchase_order', id: output.po_id }]);
});

test('the undo of a draft cancels it truly', async () => {
  const ctx = context();
  const output = await run(order, ctx);
  await tool.compensate?.(effectOf(tool, order, output, ctx), context());
  expect(await statusOf(output.po_id)).toBe('cancelled');
});

test.each([
  ['refuses', {}],
  ['answers it as done and does nothing', { cancel_does_nothing: true }],
])('the undo of a confirmed order fails with what a person must do, where the system %s', async (_title, lies) => {
  const ctx = context();
  const output = await run(order, ctx);
  await run({ po_id: output.po_id }, context(), confirmPurchaseOrder);
  ledger.lie(lies);
  await expect(tool.compensate?.(effectOf(tool, order, output, ctx), context())).rejects.toMatchObject({
    message: expect.stringContaining('By hand: agree the cancellation with the supplier'),
    more: { effect: 'none', details: { reason: 'still_there', id: output.po_id } },
  });
  expect(await statusOf(output.po_id)).toBe('processing');
  expect(await tool.verify?.(order as never, output as never, ctx)).toEqual({ kind: 'verified' });
});
