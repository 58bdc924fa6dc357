import type { OdooTables } from '@countersign/pack-operations/testing/odoo-tables';
import type { Tables } from './contract-mapping.js';

type Fields = Record<string, unknown>;
/** The opening records of the ledger: records of a kind by their id. */
type Opening = Record<string, Record<string, { status: string; fields: Fields }>>;

const PLACE = 8;
const EUR = 125;
const SALES: Record<string, string> = { quotation: 'sent', draft: 'draft', confirmed: 'sale' };
const PURCHASES: Record<string, string> = { draft: 'draft', processing: 'purchase' };
const PRODUCTIONS: Record<string, object> = {
  draft: { state: 'confirmed', reservation_state: 'confirmed' },
  running: { state: 'progress' },
};

/** The opening records of the ledger as records of Odoo. @returns the ids of Odoo by those of agents (`t_sup_alpha`) */
export function odooRecords(to: OdooTables, opening: Opening): Tables {
  const ids: Record<string, string> = {};
  const of = (id: unknown) => Number(ids[`t_${String(id)}`]);
  const put = (kind: string, model: string, valuesOf: (fields: Fields, status: string) => Fields): Record<string, number> => {
    const records = Object.entries(opening[kind] ?? {}).map(([id, { status, fields }]) => {
      const made = to.add(model, valuesOf(fields, status));
      ids[`t_${id}`] = String(made);
      return [`t_${id}`, made] as const;
    });
    return Object.fromEntries(records);
  };
  const lines = (model: string, quantity: string, items: unknown) =>
    (items as Fields[]).map((item) =>
      to.add(model, { product_id: of(item.product), [quantity]: item.quantity, price_unit: Number(item.unit_price) }),
    );
  to.add('stock.location', { complete_name: 'main', usage: 'internal' }, PLACE);

  const partner = ({ name, email, city }: Fields, status: string) => ({ name, email, city, active: status === 'active' });
  const suppliers = put('supplier', 'res.partner', partner);
  const customers = put('customer', 'res.partner', partner);
  const products = put('product', 'product.product', ({ name, code, list_price, cost_price, supplier }) => ({
    ...{ name, default_code: code, active: true, list_price: Number(list_price), standard_price: Number(cost_price) },
    ...{ qty_available: 0, virtual_available: 0, seller_ids: [to.add('product.supplierinfo', { partner_id: of(supplier) })] },
  }));
  for (const { fields } of Object.values(opening.shortage ?? {}))
    Object.assign(to.row('product.product', of(fields.product)), { virtual_available: -Number(fields.missing) });
  const sales = put('sales_order', 'sale.order', ({ customer, total, line_items }, status) => ({
    ...{ partner_id: of(customer), currency_id: EUR, amount_total: Number(total), state: SALES[status] },
    order_line: lines('sale.order.line', 'product_uom_qty', line_items),
  }));
  const purchase = ({ supplier, total, delivery_date, line_items }: Fields, status: string) => ({
    ...{ partner_id: of(supplier), currency_id: EUR, amount_total: Number(total), state: PURCHASES[status], invoice_ids: [] },
    date_planned: `${String(delivery_date)} 00:00:00`,
    order_line: lines('purchase.order.line', 'product_qty', line_items),
  });
  opening.purchase_order = { ...opening.purchase_order, po_1003: opening.purchase_order?.po_1002 as never };
  const purchases = put('purchase_order', 'purchase.order', purchase);
  const productions = put('production_order', 'mrp.production', ({ product, quantity, planned_date }, status) => ({
    ...{ product_id: of(product), product_qty: quantity, date_start: `${String(planned_date)} 00:00:00` },
    ...PRODUCTIONS[status],
  }));
  const stocks = put('stock', 'stock.quant', ({ product, on_hand, reserved, available }) => ({
    ...{ product_id: of(product), location_id: PLACE, quantity: on_hand, reserved_quantity: reserved, available_quantity: available },
  }));
  put('reservation', 'stock.move.line', ({ order, product, quantity }) => {
    const sale_line_id = to.add('sale.order.line', { order_id: of(order) });
    const move_id = to.add('stock.move', { sale_line_id });
    return { product_id: of(product), quantity, location_id: PLACE, state: 'assigned', move_id };
  });
  const invoices = put('invoice', 'account.move', ({ customer, number, issue_date, due_date, total, open_amount }, status) => ({
    ...{ move_type: 'out_invoice', name: number, partner_id: of(customer), currency_id: EUR, invoice_date: issue_date },
    ...{ invoice_date_due: due_date, amount_total: Number(total), amount_residual: Number(open_amount), state: 'posted' },
    payment_state: status === 'paid' ? 'paid' : 'not_paid',
  }));
  const records = { sales: texts(sales), purchases: texts(purchases), productions: texts(productions), stocks: texts(stocks) };
  return { suppliers, customers, products, ...records, invoices: texts(invoices), currencies: { EUR }, records: ids };
}

/** Agents send ids of records as texts. */
const texts = (ids: Record<string, number>): Record<string, string> =>
  Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, String(id)]));
