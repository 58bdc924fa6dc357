import { testContext } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScratchLedger } from '../scratch-ledger.js';
import { cancelPurchaseOrder } from './cancel-purchase-order.js';
import { updatePoLineQuantity } from './update-po-line-quantity.js';

const ledger = new ScratchLedger();
beforeEach(() => ledger.make());
afterEach(() => ledger.remove());

const context = () => testContext({ settings: ledger.settings });
const cancel = (po_id: string) => cancelPurchaseOrder.run({ po_id } as never, context());

test('a cancel that does nothing is found by reading back, and promises no effect', async () => {
  ledger.lie({ cancel_does_nothing: true });
  await expect(cancel('t_po_1002')).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    message: expect.stringContaining('answered cancel of t_po_1002 as done, and it is processing'),
    more: { effect: 'none', details: { by_hand: expect.stringContaining('supplier') } },
  });
});

test('a second cancel changes nothing and says so', async () => {
  expect(await cancel('t_po_1001')).toMatchObject({ status: 'cancelled', changed: true });
  const again = await cancel('t_po_1001');
  expect(again).toMatchObject({ status: 'cancelled', changed: false });
  expect(cancelPurchaseOrder.changedNothing?.(again as never)).toBe(true);
});

test('an unknown order is named by the input', async () => {
  await expect(cancel('po_9')).rejects.toMatchObject({ more: { class: 'not_found', details: { path: '/po_id' } } });
});

test.each<[string, object, object]>([
  ['a line that does not exist', { line: 9 }, { details: { path: '/line' } }],
  ['a quantity that somebody changed', { from_quantity: 7 }, { details: { reason: 'other_quantity' } }],
  ['an order in processing', { po_id: 't_po_1002', from_quantity: 50 }, { details: { reason: 'state_forbids' } }],
])('the quantity of %s is not changed', async (_title, change, more) => {
  const input = { po_id: 't_po_1001', line: 1, from_quantity: 400, quantity: 350, ...change };
  await expect(updatePoLineQuantity.run(input as never, context())).rejects.toMatchObject({ more: { effect: 'none', ...more } });
});
