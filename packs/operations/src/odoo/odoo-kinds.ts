import type { Action, Kind } from '../hermes/port.js';

/** How Odoo keeps a kind. Each action is one method, because each call is a transaction of its own. */
export interface OdooKind {
  model: string;
  fields: readonly string[];
  /** The field of people's reference, which carries the marks of attempts. */
  reference?: string;
  lines?: { field: string; model: string; quantity: string; fields: readonly string[] };
  /** States of Odoo by the word of Hermes. */
  states?: Readonly<Record<string, string>>;
  methods?: Partial<Record<Action, string>>;
}

export const odooKinds: Partial<Record<Kind, OdooKind>> = {
  customer: { model: 'res.partner', fields: ['name', 'email', 'phone', 'city', 'active'] },
  supplier: { model: 'res.partner', fields: ['name', 'email', 'phone', 'city', 'active'] },
  product: { model: 'product.product', fields: ['name', 'default_code', 'list_price', 'standard_price', 'active'] },
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
