import { totalOf } from '../hermes/amounts.js';
import type { Kind, Values } from '../hermes/port.js';
import { notFound, refused } from '../hermes/refusal.js';
import type { LedgerState } from './ledger-state.js';

interface Line {
  product: string;
  quantity: number;
  unit_price: string;
}

/** What a kind needs for a new record: its prefix, first state, and the fields that the ledger computes or refuses. */
interface NewRecord {
  prefix: string;
  status: string;
  complete?(values: Values, state: LedgerState): Values;
}

export const newRecords: Partial<Record<Kind, NewRecord>> = {
  sales_order: { prefix: 'so', status: 'draft', complete: (values, state) => orderOf(values, state, 'customer') },
  purchase_order: { prefix: 'po', status: 'draft', complete: (values, state) => orderOf(values, state, 'supplier') },
  production_order: { prefix: 'mo', status: 'draft', complete: productionOf },
  vendor_bill: { prefix: 'bill', status: 'posted', complete: billOf },
  proposal: { prefix: 'prop', status: 'proposed' },
};

function fieldsOf(state: LedgerState, kind: Kind, path: string, id: unknown): Values {
  const record = typeof id === 'string' ? state.of(kind).get(id) : undefined;
  if (!record) throw notFound(path, String(id));
  return record.fields;
}

/** The currency of an order: one that the party has, by default its first. */
function currencyOf(values: Values, party: Values): string {
  const known = party.currencies as string[];
  if (values.currency === undefined) return known[0] as string;
  if (known.includes(values.currency as string)) return values.currency as string;
  throw refused('/currency', 'currency_of_party', `${String(values.currency)} is not a currency of this party: ${known.join(', ')}`);
}

function orderOf(values: Values, state: LedgerState, party: 'customer' | 'supplier'): Values {
  const currency = currencyOf(values, fieldsOf(state, party, `/${party}`, values[party]));
  const lines = values.line_items as Line[];
  for (const [at, { product }] of lines.entries()) fieldsOf(state, 'product', `/line_items/${at}/product`, product);
  return { ...values, currency, total: totalOf(lines) };
}

function productionOf(values: Values, state: LedgerState): Values {
  if (fieldsOf(state, 'product', '/product', values.product).producible !== true)
    throw refused('/product', 'not_producible', `${String(values.product)} is bought, not produced`);
  return values;
}

function billOf(values: Values, state: LedgerState): Values {
  const currency = currencyOf(values, fieldsOf(state, 'supplier', '/supplier', values.supplier));
  const order = fieldsOf(state, 'purchase_order', '/purchase_order', values.purchase_order);
  if (order.supplier !== values.supplier)
    throw refused('/purchase_order', 'other_supplier', `${String(values.purchase_order)} is an order to ${String(order.supplier)}`);
  const twice = [...state.of('vendor_bill').values()].some(
    ({ fields }) => fields.supplier === values.supplier && fields.invoice_number === values.invoice_number,
  );
  if (twice) throw refused('/invoice_number', 'posted_before', `${String(values.invoice_number)} of this supplier is posted already`);
  return { ...values, currency };
}
