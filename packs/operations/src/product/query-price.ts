import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { hermesOf } from '../erp/connection.js';
import { recordOf } from '../erp/reads.js';
import { amount, currency, erpId, native } from '../hermes/shapes.js';
import { PRODUCT } from './product-record.js';

export const queryPrice = defineTool({
  name: 'query_price',
  version: '1.0.0',
  title: 'Read a price',
  description: 'Reads the list price and the cost price of one product.',
  category: 'product',
  effect_class: 'read_internal',
  input: z.strictObject({ product_id: erpId }),
  output: z.strictObject({
    product_id: z.string(),
    list_price: amount,
    cost_price: amount.optional(),
    currency: currency.optional(),
    unit: z.string().optional(),
  }),
  system_input: native(PRODUCT),
  run: async ({ product_id }, ctx) => {
    const { id, fields } = await recordOf(await hermesOf(ctx), 'product', PRODUCT, String(product_id));
    // A mapping of the tenant names the prices of its system; without one they have the names of agents.
    const { name: _name, code: _code, supplier: _supplier, producible: _producible, custom_fields: _custom, ...prices } = fields;
    return { product_id: id, ...prices } as never;
  },
});
