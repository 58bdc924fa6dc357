import { confirmQuote } from './confirm-quote.js';
import { createQuote } from './create-quote.js';
import { listOpenQuotes } from './list-open-quotes.js';
import { querySalesOrder } from './query-sales-order.js';
import { updateSalesOrderStatus } from './update-sales-order-status.js';

export const sales = [confirmQuote, createQuote, listOpenQuotes, querySalesOrder, updateSalesOrderStatus];
