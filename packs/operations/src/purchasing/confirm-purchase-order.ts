import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { writeTimes } from '../erp/creates.js';
import { movedShape, moves } from '../erp/moves.js';
import { erpId, native } from '../hermes/shapes.js';
import { PO } from './purchase-order.js';

/** The pivot of a purchase: the supplier gets the order, and no ERP takes it back truly. In a saga it runs last. */
export const confirmPurchaseOrder = defineTool({
  name: 'confirm_purchase_order',
  version: '1.0.0',
  title: 'Confirm a purchase order',
  description: 'Confirms a drafted purchase order: the supplier gets it. It cannot be undone; only a person can agree a cancellation.',
  summary: 'Confirm the purchase order {/po_id}: the supplier gets it',
  category: 'purchasing',
  effect_class: 'commit_high',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['po_id'] },
  resources: [{ name: 'purchase_order:{/po_id}', effect: 'replaces' }],
  ...writeTimes,
  input: z.strictObject({ po_id: erpId }),
  output: movedShape(PO),
  system_input: native(PO),
  ...moves('purchase_order', PO, () => ({
    action: 'confirm',
    reached: ['confirmed', 'processing', 'done'],
    by_hand: 'open the order in the ERP and read why it is not confirmed',
  })),
});
