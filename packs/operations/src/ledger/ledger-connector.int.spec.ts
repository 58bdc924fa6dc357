import { testContext } from '@countersign/tool-kit/test-context';
import { afterAll, beforeAll } from 'vitest';
import { hermesOf } from '../erp/connection.js';
import { order } from '../goldens.js';
import type { Hermes } from '../hermes/port.js';
import { ScratchLedger } from '../scratch-ledger.js';
import { describeHermes } from '../testing/hermes-suite.js';

const ledger = new ScratchLedger();
let erp: Hermes;
beforeAll(async () => {
  ledger.make();
  erp = await hermesOf(testContext({ settings: ledger.settings }));
});
afterAll(() => ledger.remove());

const ten = { ...order, line_items: [{ ...order.line_items[0], quantity: 10 }] };

describeHermes('the ledger', {
  erp: () => erp,
  order: () => ten,
  orderToNobody: () => ({ ...ten, supplier: 'nobody' }),
  edit: (id, reference) => ledger.edit('purchase_order', id, { reference }),
});
