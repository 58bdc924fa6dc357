import type { Pack } from '@countersign/tool-kit';
import { accounting } from './accounting/accounting.js';
import { customer } from './customer/customer.js';
import { ROOT_SETTING } from './erp/connection.js';
import { inventory } from './inventory/inventory.js';
import { manufacturing } from './manufacturing/manufacturing.js';
import { product } from './product/product.js';
import { purchasing } from './purchasing/purchasing.js';
import { sales } from './sales/sales.js';
import { write } from './write/write.js';

/** 27 tools of an operations agent, in eight categories, on the business system of each tenant. */
export const pack: Pack = {
  name: 'operations',
  version: '1.0.0',
  evaluations: new URL('../eval/', import.meta.url),
  settings: { [ROOT_SETTING]: './operations' },
  folders: [{ variable: ROOT_SETTING }],
  tools: [...accounting, ...customer, ...inventory, ...manufacturing, ...product, ...purchasing, ...sales, ...write],
};
