import type { Golden } from '@countersign/tool-kit/eval-pack';

const line = { product: 't_p_widget_a', quantity: 100, unit_price: '12.50' };

/** An order as in the description of the pack. */
export const order = { supplier: 't_sup_alpha', line_items: [line], delivery_date: '2099-05-01', cost_center: 'project_x' };
export const quote = { customer: 't_cus_contoso', line_items: [{ product: 't_p_widget_b', quantity: 5, unit_price: '32.00' }] };
export const production = { product: 't_p_frame', quantity: 3, planned_date: '2099-04-01' };
export const bill = {
  supplier: 't_sup_alpha',
  purchase_order: 't_po_1002',
  invoice_number: 'A-77',
  invoice_date: '2026-11-02',
  total: '625.00',
};
export const customerChange = { customer_id: 't_cus_contoso', changes: { city: 'Graz' }, reason: 'moved' };
export const stockCount = { stock_id: 't_stock_bracket', counted: 897, reason: 'counted' };

/** Golden inputs of each tool, by its name. */
export const goldens: Record<string, [Golden, ...Golden[]]> = {
  cancel_purchase_order: [{ title: 'a draft', input: { po_id: 't_po_1001' }, output: { status: 'cancelled' } }],
  confirm_purchase_order: [{ title: 'a draft', input: { po_id: 't_po_1001' }, output: { status: 'processing' } }],
  confirm_quote: [{ title: 'a quotation', input: { quote_id: 't_so_1001' }, output: { status: 'confirmed' } }],
  create_production_order: [{ title: 'three frames', input: production }],
  create_purchase_order: [
    { title: 'an order', input: order },
    { title: 'with a custom field', input: { ...order, note: 'urgent', custom_fields: { incoterm: 'DAP' } } },
  ],
  create_quote: [{ title: 'a quote', input: quote }],
  list_customers: [
    { title: 'by name', input: { text: 'north' }, output: { next_cursor: null, items: [{ customer_id: 't_cus_northwind' }] } },
  ],
  list_open_quotes: [
    { title: 'all', input: {}, output: { items: [{ quote_id: 't_so_1001' }, { quote_id: 't_so_1002' }] } },
    { title: 'a page', input: { limit: 1 }, output: { next_cursor: 't_so_1001' } },
  ],
  list_overdue_invoices: [{ title: 'today', input: { as_of: '2026-11-27' }, output: { items: [{ invoice_id: 't_inv_1001' }] } }],
  list_shortages: [
    { title: 'of a supplier', input: { supplier: 't_sup_gamma' }, output: { items: [{ product: 't_p_crate', missing: 12 }] } },
  ],
  post_vendor_bill: [{ title: 'a bill', input: bill }],
  propose_customer_update: [{ title: 'another city', input: customerChange }],
  propose_stock_adjustment: [{ title: 'a count', input: stockCount }],
  propose_write: [
    {
      title: 'a field without a tool',
      input: { operation: 'update', kind: 'supplier', id: 't_sup_alpha', fields: { payment_terms: 'net_30' }, reason: 'agreed' },
      output: { record_id: 't_sup_alpha' },
    },
    { title: 'a move', input: { operation: 'act', kind: 'sales_order', id: 't_so_1003', action: 'process', reason: 'started' } },
  ],
  query_customer: [{ title: 'one', input: { customer_id: 't_cus_contoso' }, output: { name: 'Contoso Retail' } }],
  query_invoice: [{ title: 'one', input: { invoice_id: 't_inv_1001' }, output: { status: 'posted', open_amount: '1280.00' } }],
  query_price: [
    { title: 'one', input: { product_id: 't_p_widget_a' }, output: { list_price: '21.00', cost_price: '12.50', currency: 'EUR' } },
  ],
  query_product: [{ title: 'one', input: { product_id: 't_p_widget_a' }, output: { code: 'WID-A' } }],
  query_production_order: [{ title: 'one', input: { production_id: 't_mo_1002' }, output: { status: 'running', quantity: 4 } }],
  query_purchase_order: [{ title: 'one', input: { po_id: 't_po_1001' }, output: { supplier: 't_sup_beta', total: '1020.00' } }],
  query_reservation: [{ title: 'of an order', input: { order: 't_so_1003' }, output: { items: [{ quantity: 5 }, { quantity: 80 }] } }],
  query_sales_order: [{ title: 'one', input: { order_id: 't_so_1001' }, output: { customer: 't_cus_northwind', total: '8820.00' } }],
  query_stock: [{ title: 'of a product', input: { product: 't_p_widget_a' }, output: { items: [{ on_hand: 120, available: 40 }] } }],
  search_products: [
    { title: 'by code', input: { text: 'wid' }, output: { items: [{ code: 'FRM-1' }, { code: 'WID-A' }, { code: 'WID-B' }] } },
  ],
  update_po_line_quantity: [
    { title: 'a line', input: { po_id: 't_po_1001', line: 1, from_quantity: 400, quantity: 350 }, output: { quantity: 350 } },
  ],
  update_production_status: [
    { title: 'released', input: { production_id: 't_mo_1001', from_status: 'draft', status: 'waiting' }, output: { status: 'waiting' } },
  ],
  update_sales_order_status: [
    { title: 'sent', input: { order_id: 't_so_1002', from_status: 'draft', status: 'quotation' }, output: { status: 'quotation' } },
  ],
};
