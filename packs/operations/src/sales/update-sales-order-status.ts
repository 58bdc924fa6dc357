import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { writeTimes } from '../erp/creates.js';
import { type Move, movedShape, moves, movesBack } from '../erp/moves.js';
import type { Action, Values } from '../hermes/port.js';
import { erpId, native } from '../hermes/shapes.js';
import { ORDER, ORDER_BY_HAND, salesStatus } from './sales-order.js';

type Status = z.output<typeof salesStatus>;

const ACTION: Record<Status, Action> = {
  draft: 'draft',
  quotation: 'quote',
  confirmed: 'confirm',
  processing: 'process',
  done: 'done',
  cancelled: 'cancel',
};

const moveTo = (status: Status, from?: Status): Move => ({
  action: ACTION[status],
  reached: [status],
  by_hand: ORDER_BY_HAND,
  ...(from && { from }),
});

const moveOf = ({ status, from_status }: Values): Move => moveTo(status as Status, from_status as Status);

/** Moves a sales order to a state, if it still is in the one that the agent saw. */
export const updateSalesOrderStatus = defineTool({
  name: 'update_sales_order_status',
  version: '1.0.0',
  title: 'Change the state of a sales order',
  description: 'Moves a sales order from from_status to status, as far as the ERP allows it.',
  summary: 'Move the sales order {/order_id} from {/from_status} to {/status}',
  category: 'sales',
  effect_class: 'commit_high',
  reversibility: 'semantic',
  idempotency: { discriminating: ['order_id', 'from_status', 'status'] },
  resources: [{ name: 'sales_order:{/order_id}', effect: 'replaces' }],
  ...writeTimes,
  input: z.strictObject({ order_id: erpId, from_status: salesStatus, status: salesStatus }),
  output: movedShape(ORDER),
  system_input: native(ORDER, 'from_status', 'status'),
  ...moves('sales_order', ORDER, moveOf),
  compensate: movesBack('sales_order', ORDER, ({ from_status }) => moveTo(from_status as Status)),
});
