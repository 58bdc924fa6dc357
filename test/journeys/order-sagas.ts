import type { SagaDefinition } from '@countersign/client';

const reference = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' };
const input_schema = {
  type: 'object',
  properties: {
    order_id: reference,
    sku: reference,
    quantity: { type: 'integer', minimum: 1, maximum: 1_000 },
    account: reference,
    amount_cents: { type: 'integer', minimum: 1, maximum: 100_000_000 },
    address: { type: 'string', pattern: '^[A-Za-z0-9 .,/-]{1,200}$' },
    mail_to: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}@[A-Za-z0-9.-]{1,100}$' },
  },
  required: ['order_id', 'sku', 'quantity', 'account', 'amount_cents', 'address', 'mail_to'],
  additionalProperties: false,
};

/** The inputs of each saga here. */
export interface OrderInputs {
  order_id: string;
  sku: string;
  quantity: number;
  account: string;
  amount_cents: number;
  address: string;
  mail_to: string;
}

type Block = SagaDefinition['root'];
const step = (name: string, tool: string, inputs: object, more: object = {}): Block =>
  ({ kind: 'step', name, use: { tool, version: '^1.0.0', inputs }, ...more }) as Block;
const input = (name: keyof OrderInputs) => ({ from: `/inputs/${name}` });
const order_id = input('order_id');

const reserve = step('reserve', 'ledger_reserve', { order_id, sku: input('sku'), quantity: input('quantity') });
const charge = step('charge', 'ledger_charge', {
  ...{ order_id, account: input('account'), amount_cents: input('amount_cents'), currency: { literal: 'EUR' } },
});
/** Its own compensation, published with the definition: the price goes back to what the step found. */
const price = step(
  'price',
  'ledger_set_price',
  { sku: input('sku'), price_cents: input('amount_cents') },
  {
    compensation: {
      ...{ tool: 'ledger_set_price', version: '^1.0.0' },
      inputs: { sku: input('sku'), price_cents: { from: '/steps/price/output/previous_cents' } },
    },
  },
);
const reads: Block = {
  kind: 'parallel',
  join: { kind: 'all' },
  branches: [
    step('stock', 'ledger_read_stock', { sku: { from: '/steps/reserve/output/sku' } }),
    step('stock_again', 'ledger_read_stock', { sku: input('sku') }),
  ],
};
const shipment = { order_id, reservation_id: { from: '/steps/reserve/output/reservation_id' }, address: input('address') };
const mail = step('mail', 'mail_send', {
  to: input('mail_to'),
  subject: { literal: 'Your order' },
  text: { expression: '"Order " & inputs.order_id & ": payment " & steps.charge.output.payment_id' },
});

const saga = (name: string, ...blocks: Block[]): SagaDefinition => ({
  ...{ name, version: '1.0.0', wait_max_ms: 3_600_000, input_schema },
  root: { kind: 'sequence', blocks },
});

/** The whole chain. The shipment is irreversible and not last, so a person approves it; after it the saga only goes forward. */
export const orderSaga = saga('order', reserve, charge, reads, step('ship', 'ledger_ship', shipment, { asks: true }), mail);

/** The chain without a person: its last step is the one that cannot be undone. */
export const unattendedOrderSaga = saga('unattended-order', reserve, charge, reads, step('ship', 'ledger_ship', shipment));

/** It sets a price, which is undone by the compensation of the definition, and mails at the end. */
export const pricedOrderSaga = saga('priced-order', price, reserve, charge, mail);

/** Fails at `charge`, which no account can pay: the price and the reservation before it are undone. */
export const declinedOrderSaga = saga(
  'declined-order',
  price,
  reserve,
  step('charge', 'ledger_charge', {
    ...{ order_id, account: input('account'), amount_cents: { literal: 100_000_000 }, currency: { literal: 'EUR' } },
  }),
  step('ship', 'ledger_ship', shipment),
);

export const orderSagas: readonly SagaDefinition[] = [orderSaga, unattendedOrderSaga, pricedOrderSaga, declinedOrderSaga];
