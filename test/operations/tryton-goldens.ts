import { goldens } from '@countersign/pack-operations/goldens';
import type { Golden, ResourceStates } from '@countersign/tool-kit/contract-tests';

const RENAMED = { customer_id: 't_cus_contoso', changes: { name: 'Contoso' }, reason: 'renamed' };

/** Pairs of writes of what a real Tryton has only some of. */
export const trytonStates: Record<string, ResourceStates[]> = {
  create_quote: [
    {
      title: 'two quotes for a customer',
      a: goldens.create_quote?.[0].input as Record<string, unknown>,
      b: { ...goldens.create_quote?.[0].input, note: 'another' },
    },
  ],
  propose_customer_update: [{ title: 'two proposals', a: RENAMED, b: { ...RENAMED, changes: { name: 'Contoso Retail' } } }],
};

/** Goldens of what a real Tryton names otherwise, or has only some of. */
export const trytonGoldens = (run: string): Record<string, [Golden, ...Golden[]]> => ({
  confirm_quote: [{ title: 'a quotation', input: { quote_id: 't_so_1001' }, output: { status: 'processing' } }],
  create_production_order: [{ title: 'three frames', input: goldens.create_production_order?.[0].input as Record<string, unknown> }],
  create_purchase_order: [goldens.create_purchase_order?.[0] as Golden],
  list_customers: [
    { title: 'by name', input: { text: `northwind ${run}` }, output: { next_cursor: null, items: [{ customer_id: 't_cus_northwind' }] } },
  ],
  list_open_quotes: [
    { title: 'of a customer', input: { customer: 't_cus_contoso' }, output: { items: [{ quote_id: 't_so_1002', total: '640.00' }] } },
    { title: 'a page', input: { customer: 't_cus_contoso', limit: 1 }, output: { items: [{ quote_id: 't_so_1002' }] } },
  ],
  list_overdue_invoices: [
    {
      title: 'of a customer',
      input: { as_of: '2099-01-01', customer: 't_cus_contoso' },
      output: { items: [{ customer: 't_cus_contoso', status: 'posted', open_amount: '32.00' }] },
    },
  ],
  list_shortages: [
    { title: 'of a supplier', input: { supplier: 't_sup_gamma' }, output: { items: [{ product: 't_p_crate', missing: 12 }] } },
  ],
  propose_customer_update: [{ title: 'another name', input: RENAMED }],
  propose_write: [
    {
      title: 'a field without a tool',
      input: { operation: 'update', kind: 'supplier', id: 't_sup_alpha', fields: { name: `Alpha ${run}` }, reason: 'asked' },
    },
    { title: 'a move', input: { operation: 'act', kind: 'purchase_order', id: 't_po_1001', action: 'quote', reason: 'started' } },
  ],
  query_customer: [{ title: 'one', input: { customer_id: 't_cus_contoso' }, output: { name: `contoso ${run}` } }],
  query_invoice: [{ title: 'one', input: { invoice_id: 't_inv_1001' }, output: { status: 'posted', open_amount: '32.00' } }],
  query_price: [{ title: 'one', input: { product_id: 't_p_widget_a' }, output: { list_price: '21.00', cost_price: '12.50' } }],
  query_product: [{ title: 'one', input: { product_id: 't_p_widget_a' }, output: { code: `wid-a-${run}` } }],
  query_production_order: [{ title: 'one', input: { production_id: 't_mo_1001' }, output: { status: 'draft', quantity: 12 } }],
  query_reservation: [
    { title: 'of an order', input: { order: 't_so_1003' }, output: { items: [{ product: 't_p_widget_a', quantity: 5, location: 'STO' }] } },
  ],
  query_sales_order: [{ title: 'one', input: { order_id: 't_so_1002' }, output: { customer: 't_cus_contoso', total: '640.00' } }],
  query_stock: [
    {
      title: 'of a product',
      input: { product: 't_p_widget_a' },
      output: { items: [{ product: 't_p_widget_a', location: 'STO', on_hand: 10, reserved: 5, available: 5 }] },
    },
    { title: 'at another place', input: { product: 't_p_widget_a', location: 'nowhere' }, output: { items: [], next_cursor: null } },
  ],
  search_products: [{ title: 'by code', input: { text: `-b-${run}` }, output: { items: [{ code: `wid-b-${run}` }], next_cursor: null } }],
});
