/** The fields that the connector may name, by model. */
export const FIELDS: Record<string, readonly string[]> = {
  'account.move': [
    'name',
    'state',
    'ref',
    'move_type',
    'payment_state',
    'partner_id',
    'currency_id',
    'invoice_date',
    'invoice_date_due',
    'amount_total',
    'amount_residual',
  ],
  'mrp.production': ['name', 'state', 'reservation_state', 'origin', 'product_id', 'product_qty', 'date_start'],
  'product.product': ['name', 'default_code', 'list_price', 'standard_price', 'active', 'qty_available', 'virtual_available', 'seller_ids'],
  'product.supplierinfo': ['partner_id'],
  'purchase.order': [
    'name',
    'state',
    'origin',
    'partner_id',
    'currency_id',
    'date_planned',
    'amount_total',
    'order_line',
    'invoice_ids',
    'note',
    'x_studio_cost_center',
  ],
  'purchase.order.line': ['product_id', 'product_qty', 'price_unit'],
  'res.partner': ['name', 'email', 'phone', 'city', 'active', 'ref'],
  'sale.order': ['name', 'state', 'client_order_ref', 'partner_id', 'currency_id', 'validity_date', 'amount_total', 'order_line', 'note'],
  'sale.order.line': ['product_id', 'product_uom_qty', 'price_unit', 'order_id'],
  'stock.location': ['complete_name', 'usage'],
  'stock.move': ['product_id', 'location_id', 'location_dest_id', 'is_inventory', 'inventory_name', 'sale_line_id'],
  'stock.move.line': ['product_id', 'quantity', 'location_id', 'state', 'move_id'],
  'stock.quant': ['product_id', 'location_id', 'quantity', 'reserved_quantity', 'available_quantity', 'inventory_quantity_auto_apply'],
};

/** The model that a field links to. */
export const LINKS: Record<string, string> = {
  partner_id: 'res.partner',
  product_id: 'product.product',
  currency_id: 'res.currency',
  location_id: 'stock.location',
  location_dest_id: 'stock.location',
  move_id: 'stock.move',
  sale_line_id: 'sale.order.line',
  order_id: 'sale.order',
  seller_ids: 'product.supplierinfo',
};
/** Links to many records: a list of ids, without names. */
export const MANY: readonly string[] = ['seller_ids', 'order_line', 'invoice_ids'];

/** The lines of orders: their model and the field of their quantity. */
export const LINES: Record<string, { model: string; quantity: string }> = {
  'purchase.order': { model: 'purchase.order.line', quantity: 'product_qty' },
  'sale.order': { model: 'sale.order.line', quantity: 'product_uom_qty' },
};

/** A method of a button: the states in which it works, and the values that it sets. Elsewhere Odoo refuses it. */
interface Button {
  from: readonly string[];
  sets: Readonly<Record<string, unknown>>;
}

export const BUTTONS: Record<string, Record<string, Button>> = {
  'account.move': { action_post: { from: ['draft'], sets: { state: 'posted', payment_state: 'not_paid' } } },
  'mrp.production': {
    action_confirm: { from: ['draft'], sets: { state: 'confirmed', reservation_state: 'confirmed' } },
    action_assign: { from: ['confirmed'], sets: { reservation_state: 'assigned' } },
    do_unreserve: { from: ['confirmed'], sets: { reservation_state: 'confirmed' } },
    action_start: { from: ['confirmed'], sets: { state: 'progress' } },
    button_mark_done: { from: ['progress', 'to_close'], sets: { state: 'done' } },
    action_cancel: { from: ['draft', 'confirmed', 'progress'], sets: { state: 'cancel' } },
  },
  'purchase.order': {
    button_confirm: { from: ['draft', 'sent'], sets: { state: 'purchase' } },
    button_cancel: { from: ['draft', 'sent'], sets: { state: 'cancel' } },
    button_draft: { from: ['cancel'], sets: { state: 'draft' } },
  },
  'sale.order': {
    action_quotation_sent: { from: ['draft'], sets: { state: 'sent' } },
    action_confirm: { from: ['draft', 'sent'], sets: { state: 'sale' } },
    action_cancel: { from: ['draft', 'sent', 'sale'], sets: { state: 'cancel' } },
    action_draft: { from: ['cancel', 'sent'], sets: { state: 'draft' } },
  },
};
