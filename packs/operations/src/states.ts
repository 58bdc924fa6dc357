import type { ResourceStates } from '@countersign/tool-kit/eval-pack';
import { bill, customerChange, order, production, quote, stockCount } from './goldens.js';
import type { Kind } from './hermes/port.js';

/** A system in which people change states. */
export interface EditedSystem {
  edit(kind: Kind, id: string, change: { status: string }): Promise<void>;
}

/** Pairs of writes on one resource, for each tool that declares resources. The other write is that of a person in the system. */
export function statesOn(ledger: EditedSystem): Record<string, ResourceStates[]> {
  const draftAgain = () => ledger.edit('purchase_order', 't_po_1001', { status: 'draft' });
  return {
    cancel_purchase_order: [{ title: 'a person sets it to draft', a: { po_id: 't_po_1001' }, b: draftAgain }],
    confirm_purchase_order: [{ title: 'a person sets it to draft', a: { po_id: 't_po_1001' }, b: draftAgain }],
    confirm_quote: [
      {
        title: 'a person takes it back',
        a: { quote_id: 't_so_1001' },
        b: () => ledger.edit('sales_order', 't_so_1001', { status: 'quotation' }),
      },
    ],
    create_production_order: [{ title: 'two orders of a product', a: production, b: { ...production, quantity: 9 } }],
    create_purchase_order: [{ title: 'two orders to a supplier for a day', a: order, b: { ...order, cost_center: 'project_y' } }],
    create_quote: [{ title: 'two quotes for a customer', a: quote, b: { ...quote, valid_until: '2099-01-31' } }],
    post_vendor_bill: [{ title: 'two bills of a supplier', a: bill, b: { ...bill, invoice_number: 'A-78' } }],
    propose_customer_update: [{ title: 'two proposals', a: customerChange, b: { ...customerChange, changes: { city: 'Linz' } } }],
    propose_stock_adjustment: [{ title: 'two counts', a: stockCount, b: { ...stockCount, counted: 896 } }],
    update_po_line_quantity: [
      {
        title: 'there and back',
        a: { po_id: 't_po_1001', line: 1, from_quantity: 400, quantity: 350 },
        b: { po_id: 't_po_1001', line: 1, from_quantity: 350, quantity: 400 },
      },
    ],
    update_production_status: [
      {
        title: 'there and back',
        a: { production_id: 't_mo_1001', from_status: 'draft', status: 'waiting' },
        b: { production_id: 't_mo_1001', from_status: 'waiting', status: 'draft' },
      },
    ],
    update_sales_order_status: [
      {
        title: 'there and back',
        a: { order_id: 't_so_1002', from_status: 'draft', status: 'quotation' },
        b: { order_id: 't_so_1002', from_status: 'quotation', status: 'draft' },
      },
    ],
  };
}
