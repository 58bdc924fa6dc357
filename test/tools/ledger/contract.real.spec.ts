import { type ContractTestOptions, contractTests } from '@countersign/tool-kit/contract-tests';
import { afterAll, beforeAll } from 'vitest';
import { realDatabase } from '../real-parts.js';
import { Ledger } from './ledger.js';
import { ledgerCounterpart, SEEDED_KEYS } from './ledger-counterpart.js';
import { pack } from './pack.js';

let ledger: Ledger;
beforeAll(async () => {
  ledger = await Ledger.open(realDatabase());
});
afterAll(() => ledger?.close());

const counterpart = ledgerCounterpart(() => ledger);
const order = { order_id: 'o-1', sku: 'chair', quantity: 2 };
const payment = { order_id: 'o-1', account: 'ann', amount_cents: 9_800, currency: 'EUR' };
const shipment = { order_id: 'o-1', reservation_id: SEEDED_KEYS[0], address: 'Main Street 1, Ulm' };

const evals: Record<string, Omit<ContractTestOptions, 'counterpart'>> = {
  ledger_reserve: {
    golden: [
      { title: 'two chairs', input: order, output: { quantity: 2, available: 98 } },
      { title: 'one chair', input: { ...order, quantity: 1 } },
    ],
    states: [{ title: 'two orders of one article', a: order, b: { ...order, order_id: 'o-2', quantity: 5 } }],
    slow: { ...order, sku: 'slow' },
  },
  ledger_charge: {
    golden: [
      { title: 'a payment', input: payment, output: { amount_cents: 9_800, currency: 'EUR', balance_cents: 990_200 } },
      { title: 'a cent', input: { ...payment, amount_cents: 1 } },
    ],
    states: [{ title: 'two payments of one account', a: payment, b: { ...payment, order_id: 'o-2', amount_cents: 7 } }],
    slow: { ...payment, account: 'slow' },
  },
  ledger_set_price: {
    golden: [
      { title: 'a price', input: { sku: 'chair', price_cents: 5_000 }, output: { price_cents: 5_000, previous_cents: 4_900 } },
      { title: 'for free', input: { sku: 'chair', price_cents: 0 } },
    ],
    states: [
      { title: 'another price', a: { sku: 'chair', price_cents: 5_000 }, b: { sku: 'chair', price_cents: 6_000 } },
      {
        title: 'a price that somebody sets without a tool',
        a: { sku: 'chair', price_cents: 5_000 },
        b: async () => void (await ledger.rows(`UPDATE articles SET price_cents = 1, priced_by = NULL WHERE sku = 'chair'`)),
      },
    ],
    slow: { sku: 'slow', price_cents: 1 },
  },
  ledger_ship: {
    golden: [{ title: 'a shipment', input: shipment, output: { order_id: 'o-1' } }],
    states: [{ title: 'two shipments of one order', a: shipment, b: { ...shipment, reservation_id: SEEDED_KEYS[1] } }],
    slow: { ...shipment, address: 'slow' },
  },
  ledger_read_stock: {
    golden: [{ title: 'an article', input: { sku: 'chair' }, output: { sku: 'chair', available: 100, price_cents: 4_900 } }],
    slow: { sku: 'slow' },
  },
};

/** What generated inputs name, so that they reach more than a refusal. */
const known: Record<string, object> = {
  ledger_charge: { account: 'ann', currency: 'EUR' },
  ledger_ship: { order_id: 'o-1', reservation_id: SEEDED_KEYS[0] },
};

/** What makes the slow inputs slow. */
const slow: Record<string, object> = { ledger_charge: { account: 'slow' }, ledger_ship: { address: 'slow' } };

for (const tool of pack.tools) {
  const { name } = tool.contract;
  const prepare = async () => {
    await counterpart.prepare?.();
    const inputs = slow[name] ?? { sku: 'slow' };
    await ledger.switchOn({ tool: name, moment: 'before', fault: 'delay', delay_ms: 20_000, inputs, times: 10 });
  };
  contractTests(tool, {
    ...(evals[name] as ContractTestOptions),
    counterpart: { ...counterpart, prepare },
    generated: (inputs) => inputs.map((generated) => ({ ...(generated as object), ...(known[name] ?? { sku: 'chair' }) })),
    generated_runs: 25,
  });
}
