import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { request } from './ledger-request.js';
import { ledgerTraits, notFound, reference } from './ledger-shapes.js';

const name = 'ledger_read_stock';
type Article = { sku: string; available: number; price_cents: number };

/** An article as it is now. */
export const readStock = defineTool({
  ...ledgerTraits,
  name,
  title: 'Read the stock',
  description: 'For tests: answers how many pieces of an article are in stock, and its price.',
  effect_class: 'read_internal',
  input: z.strictObject({ sku: reference }),
  output: z.strictObject({ sku: reference, available: z.int(), price_cents: z.int() }),
  run: (inputs, ctx) =>
    request(ctx, { tool: name, action: 'run', key: ctx.idempotency_key, inputs }, async (session) => {
      const article = await session.row<Article>('SELECT sku, available, price_cents FROM articles WHERE tenant_id = $1 AND sku = $2', [
        ctx.tenant_id,
        inputs.sku,
      ]);
      if (!article) throw notFound(`there is no article ${inputs.sku}`);
      return article;
    }),
});
