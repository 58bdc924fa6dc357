import { cancelPurchaseOrder } from './cancel-purchase-order.js';
import { confirmPurchaseOrder } from './confirm-purchase-order.js';
import { createPurchaseOrder } from './create-purchase-order.js';
import { queryPurchaseOrder } from './query-purchase-order.js';
import { updatePoLineQuantity } from './update-po-line-quantity.js';

export const purchasing = [cancelPurchaseOrder, confirmPurchaseOrder, createPurchaseOrder, queryPurchaseOrder, updatePoLineQuantity];
