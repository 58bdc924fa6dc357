import { createProductionOrder } from './create-production-order.js';
import { queryProductionOrder } from './query-production-order.js';
import { updateProductionStatus } from './update-production-status.js';

export const manufacturing = [createProductionOrder, queryProductionOrder, updateProductionStatus];
