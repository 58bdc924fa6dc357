import type { Action, Kind } from '../hermes/port.js';

/** How Tryton keeps a kind. */
export interface TrytonKind {
  model: string;
  /** Which records of the model are of this kind; absent: all. */
  only?: readonly unknown[];
  /** Fields that are read; those of lines with the prefix `lines.`. */
  fields: readonly string[];
  /** Fields that a new record gets from its party, if the mapping names none. */
  addresses?: readonly string[];
  /** Where the marks of attempts are; absent: the kind is only read. In `identifiers` each mark is a code of the party. */
  marks?: 'reference' | 'identifiers';
  /** States of Tryton that Hermes calls otherwise. */
  states?: Readonly<Record<string, string>>;
  /** The methods of an action, by the state that they begin in; `*` for all others. */
  actions?: Partial<Record<Action, Readonly<Record<string, readonly string[]>>>>;
}

const INVOICE_FIELDS = ['number', 'state', 'reference', 'party', 'currency', 'invoice_date', 'total_amount', 'amount_to_pay'];
const ORDER_LINES = ['lines.product', 'lines.quantity', 'lines.unit_price'];
const ORDER_ACTIONS = {
  quote: { '*': ['quote'] },
  draft: { '*': ['draft'] },
  confirm: { draft: ['quote', 'confirm'], '*': ['confirm'] },
  process: { '*': ['process'] },
  cancel: { '*': ['cancel'] },
} as const;

const PARTY: TrytonKind = { model: 'party.party', fields: ['name', 'code', 'active', 'identifiers.code'], marks: 'identifiers' };

export const trytonKinds: Partial<Record<Kind, TrytonKind>> = {
  customer: PARTY,
  supplier: PARTY,
  product: { model: 'product.product', fields: ['name', 'code', 'active', 'list_price', 'cost_price'] },
  invoice: { model: 'account.invoice', only: [['type', '=', 'out']], fields: [...INVOICE_FIELDS, 'lines_to_pay.maturity_date'] },
  vendor_bill: { model: 'account.invoice', only: [['type', '=', 'in']], fields: INVOICE_FIELDS, marks: 'reference' },
  purchase_order: {
    model: 'purchase.purchase',
    fields: [
      'number',
      'state',
      'reference',
      'party',
      'currency',
      'delivery_date',
      'total_amount',
      'comment',
      'description',
      ...ORDER_LINES,
    ],
    addresses: ['invoice_address'],
    marks: 'reference',
    actions: ORDER_ACTIONS,
  },
  sales_order: {
    model: 'sale.sale',
    fields: ['number', 'state', 'reference', 'party', 'currency', 'sale_date', 'total_amount', 'comment', 'description', ...ORDER_LINES],
    addresses: ['invoice_address', 'shipment_address'],
    marks: 'reference',
    actions: ORDER_ACTIONS,
  },
  production_order: {
    model: 'production',
    fields: ['number', 'state', 'reference', 'product', 'quantity', 'planned_date'],
    marks: 'reference',
    states: { request: 'draft' },
    actions: {
      draft: { '*': ['draft'] },
      wait: { '*': ['wait'] },
      assign: { '*': ['assign_try'] },
      run: { '*': ['run'] },
      done: { '*': ['done'] },
      cancel: { '*': ['cancel'] },
    },
  },
};
