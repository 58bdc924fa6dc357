/** Bodies of `POST /v1/tools` for the example servers of `examples/http-tools`. */
const invoice_id = { type: 'string', minLength: 1, maxLength: 50 };
const inputs = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});

export const readInvoice = (endpoint: string, more: object = {}) => ({
  name: 'read_invoice',
  version: '1.0.0',
  title: 'Read an invoice',
  description: 'Reads an invoice by its id and gives its amount and currency.',
  category: 'billing',
  endpoint,
  effect_class: 'read_internal',
  input_schema: inputs({ invoice_id }),
  output_schema: inputs({ amount: { type: 'number' }, currency: { type: 'string' }, served_by: { type: 'string' } }),
  ...more,
});

export const payInvoice = (endpoint: string, more: object = {}) => ({
  name: 'pay_invoice',
  version: '1.0.0',
  title: 'Pay an invoice',
  description: 'Pays an invoice once and gives the receipt of the payment.',
  category: 'billing',
  endpoint,
  effect_class: 'commit_low',
  input_schema: inputs({ invoice_id }),
  output_schema: inputs({ receipt_id: { type: 'string' }, amount: { type: 'number' } }),
  idempotency: { discriminating: ['invoice_id'] },
  functions: ['reconcile', 'compensate', 'verify'],
  takes_key: true,
  ...more,
});
