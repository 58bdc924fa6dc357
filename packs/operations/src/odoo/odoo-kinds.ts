import type { Action, Kind, Values } from '../hermes/port.js';

/** How Odoo keeps a kind. Each action is one method, because each call is a transaction of its own. */
export interface OdooKind {
  model: string;
  /** Which records of the model are of this kind; absent: all. */
  only?: readonly unknown[];
  fields: readonly string[];
  /** The field of people's reference, which carries the marks of attempts. Absent: the kind is only read. */
  reference?: string;
  lines?: { field: string; model: string; quantity: string; fields: readonly string[] };
  /** States of Odoo by the word of Hermes. */
  states?: Readonly<Record<string, string>>;
  /** The word of Hermes where another field than `state` decides it. */
  status?(record: Values): string | undefined;
  /** The method of an action; where it is another in some states, by the word of Hermes for the state, and `*` for all others. */
  methods?: Partial<Record<Action, string | Readonly<Record<string, string>>>>;
}

const INVOICE_FIELDS = [
  'name',
  'state',
  'payment_state',
  'partner_id',
  'currency_id',
  'invoice_date',
  'invoice_date_due',
  'amount_total',
  'amount_residual',
];
const PARTNER = { model: 'res.partner', fields: ['name', 'email', 'phone', 'city', 'active', 'ref'], reference: 'ref' };
const INVOICE_STATES = { cancel: 'cancelled' };

const paid = ({ state, payment_state }: Values) => (state === 'posted' && payment_state === 'paid' ? 'paid' : undefined);
/** Odoo has no state of its own for what is reserved. */
const ready = ({ state, reservation_state }: Values) =>
  state === 'confirmed' && reservation_state === 'assigned' ? 'assigned' : undefined;

export const odooKinds: Partial<Record<Kind, OdooKind>> = {
  customer: PARTNER,
  supplier: PARTNER,
  product: { model: 'product.product', fields: ['name', 'default_code', 'list_price', 'standard_price', 'active'] },
  invoice: {
    model: 'account.move',
    only: [['move_type', '=', 'out_invoice']],
    fields: INVOICE_FIELDS,
    states: INVOICE_STATES,
    status: paid,
  },
  vendor_bill: {
    model: 'account.move',
    only: [['move_type', '=', 'in_invoice']],
    fields: [...INVOICE_FIELDS, 'ref'],
    reference: 'ref',
    states: INVOICE_STATES,
    status: paid,
  },
  production_order: {
    model: 'mrp.production',
    fields: ['name', 'state', 'reservation_state', 'origin', 'product_id', 'product_qty', 'date_start'],
    reference: 'origin',
    states: { confirmed: 'waiting', progress: 'running', to_close: 'running', cancel: 'cancelled' },
    status: ready,
    methods: {
      wait: { assigned: 'do_unreserve', '*': 'action_confirm' },
      assign: 'action_assign',
      run: 'action_start',
      done: 'button_mark_done',
      cancel: 'action_cancel',
    },
  },
  purchase_order: {
    model: 'purchase.order',
    fields: ['name', 'state', 'origin', 'partner_id', 'currency_id', 'date_planned', 'amount_total'],
    reference: 'origin',
    lines: {
      field: 'order_line',
      model: 'purchase.order.line',
      quantity: 'product_qty',
      fields: ['product_id', 'product_qty', 'price_unit'],
    },
    states: { sent: 'quotation', 'to approve': 'confirmed', purchase: 'processing', cancel: 'cancelled' },
    methods: { confirm: 'button_confirm', cancel: 'button_cancel', draft: 'button_draft' },
  },
  sales_order: {
    model: 'sale.order',
    fields: ['name', 'state', 'client_order_ref', 'partner_id', 'currency_id', 'validity_date', 'amount_total'],
    reference: 'client_order_ref',
    lines: {
      field: 'order_line',
      model: 'sale.order.line',
      quantity: 'product_uom_qty',
      fields: ['product_id', 'product_uom_qty', 'price_unit'],
    },
    states: { sent: 'quotation', sale: 'confirmed', cancel: 'cancelled' },
    methods: { quote: 'action_quotation_sent', confirm: 'action_confirm', cancel: 'action_cancel', draft: 'action_draft' },
  },
};
