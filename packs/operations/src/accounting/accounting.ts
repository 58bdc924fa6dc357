import { listOverdueInvoices } from './list-overdue-invoices.js';
import { postVendorBill } from './post-vendor-bill.js';
import { queryInvoice } from './query-invoice.js';

export const accounting = [listOverdueInvoices, postVendorBill, queryInvoice];
