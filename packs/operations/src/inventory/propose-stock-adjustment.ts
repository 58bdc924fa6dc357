import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { cancels, createdShape, creates, writeTimes } from '../erp/creates.js';
import { PROPOSAL, proposal } from '../erp/proposals.js';
import { erpId, short } from '../hermes/shapes.js';

/** Stages a counted quantity. Nothing changes until a person approves it as a `propose_write`. */
export const proposeStockAdjustment = defineTool({
  name: 'propose_stock_adjustment',
  version: '1.0.0',
  title: 'Propose a stock adjustment',
  description: 'Stages a counted quantity of a stock record. Nothing changes until propose_write applies it and a person approves that.',
  summary: 'Propose that {/stock_id} has {/counted}: {/reason}',
  category: 'inventory',
  effect_class: 'stage',
  reversibility: 'reversible',
  idempotency: { discriminating: ['stock_id', 'counted'] },
  resources: [{ name: 'proposal:stock/{/stock_id}', effect: 'adds' }],
  ...writeTimes,
  input: z.strictObject({ stock_id: erpId, counted: z.int().min(0).max(1_000_000_000), reason: short(500) }),
  output: createdShape(PROPOSAL),
  ...creates('proposal', proposal),
  run: async ({ stock_id, counted, reason }, ctx) => {
    const changes = { on_hand: counted };
    return creates('proposal', proposal).run({ operation: 'update', kind: 'stock', target: stock_id, changes, reason }, ctx);
  },
  compensate: cancels('proposal', proposal),
});
