import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { bookOnce, reconciled, reverse, verified } from '../fake-system.js';

const BANK = 'bank';
const UNDO_DAYS = 14;

/** Pays a supplier in a fake bank. */
export const paySupplier = defineTool({
  name: 'demo_pay_supplier',
  version: '1.0.0',
  title: 'Pay a supplier (demo)',
  description: 'Pays an invoice of a supplier in the fake bank of the demo. No money moves. A payment can be recalled for 14 days.',
  summary: 'Pay {/amount} {/currency} to {/supplier} for invoice {/invoice}',
  category: 'demo',
  effect_class: 'commit_high',
  reversibility: 'semantic',
  idempotency: { discriminating: ['supplier', 'amount', 'currency', 'invoice'] },
  resources: [{ name: 'supplier:{/supplier}', effect: 'adds' }],
  takes_key: true,
  undo_within_ms: UNDO_DAYS * 86_400_000,
  input: z.strictObject({
    supplier: z.string().min(1).max(100),
    amount: z.number().positive().max(1_000_000).meta({ 'x-grant': 'amount' }),
    currency: z.enum(['EUR', 'USD']),
    invoice: z.string().min(1).max(50),
    cost_centre: z.string().max(50).optional().meta({ 'x-grant': 'free' }),
  }),
  output: z.strictObject({ receipt_id: z.string() }),
  run: (_input, ctx) => bookOnce(ctx, BANK, 'pay'),
  reconcile: (_input, ctx) => reconciled(ctx, BANK),
  compensate: (effect, ctx) => reverse(effect, ctx, BANK),
  verify: (_input, _output, ctx) => verified(ctx, BANK),
});
