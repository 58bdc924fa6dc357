import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { writeTimes } from '../erp/creates.js';
import { movedShape, moves, movesBack } from '../erp/moves.js';
import { erpId, native, short } from '../hermes/shapes.js';
import { CANCEL_BY_HAND, PO } from './purchase-order.js';

/** Cancels a drafted order. An order in processing is not cancelled by any ERP's button: the tool reads back and says what a person must do. */
export const cancelPurchaseOrder = defineTool({
  name: 'cancel_purchase_order',
  version: '1.0.0',
  title: 'Cancel a purchase order',
  description: 'Cancels a drafted purchase order and reads back whether it is cancelled. A confirmed order needs a person.',
  summary: 'Cancel the purchase order {/po_id}',
  category: 'purchasing',
  effect_class: 'commit_high',
  reversibility: 'semantic',
  idempotency: { discriminating: ['po_id'] },
  resources: [{ name: 'purchase_order:{/po_id}', effect: 'replaces' }],
  ...writeTimes,
  input: z.strictObject({ po_id: erpId, reason: short(200).optional() }),
  output: movedShape(PO),
  system_input: native(PO),
  ...moves('purchase_order', PO, () => ({ action: 'cancel', reached: ['cancelled'], by_hand: CANCEL_BY_HAND })),
  compensate: movesBack('purchase_order', PO, () => ({
    action: 'draft',
    reached: ['draft'],
    by_hand: 'set the order to draft in the ERP, or create it again',
  })),
});
