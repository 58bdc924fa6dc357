import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';

/** Simulates a system with its own input shape: agents send their usual inputs, and a tenant's mapping converts them. */
export const probeErp = defineTool({
  name: 'probe_erp',
  version: '1.1.0',
  title: 'Create a purchase order in a system of its own shape',
  description: 'For tests and benches: creates nothing and answers what it was sent, as the system names it.',
  category: 'probe',
  effect_class: 'commit_low',
  idempotency: { discriminating: ['reference'] },
  resources: [{ name: 'purchase_order:{/name}', effect: 'adds' }],
  takes_key: true,
  input: z.object({
    reference: z.string().max(100),
    vendor: z.string().max(100),
    cost_center: z.string().max(100).optional(),
    ordered_at: z.string().max(40).optional(),
    note: z.string().max(500).optional(),
    lines: z
      .array(z.object({ product: z.string().max(100), quantity: z.int(), price: z.number() }))
      .max(100)
      .optional(),
  }),
  output: z.object({
    order_id: z.int(),
    vendor: z.string().optional(),
    sent: z.string().describe('what the system was sent, as JSON text'),
  }),
  system_input: z.looseObject({ partner_id: z.int(), name: z.string().optional() }),
  async run(record) {
    return { id: 4711, partner_id: record.partner_id, record } as never;
  },
});
