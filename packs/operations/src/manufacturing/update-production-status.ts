import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { writeTimes } from '../erp/creates.js';
import { type Move, movedShape, moves, movesBack } from '../erp/moves.js';
import type { Action, Values } from '../hermes/port.js';
import { erpId, native } from '../hermes/shapes.js';
import { PRODUCTION, PRODUCTION_BY_HAND, productionStatus } from './production-order.js';

type Status = z.output<typeof productionStatus>;

const ACTION: Record<Status, Action> = {
  draft: 'draft',
  waiting: 'wait',
  assigned: 'assign',
  running: 'run',
  done: 'done',
  cancelled: 'cancel',
};

const moveTo = (status: Status, from?: Status): Move => ({
  action: ACTION[status],
  reached: [status],
  by_hand: PRODUCTION_BY_HAND,
  ...(from && { from }),
});

const moveOf = ({ status, from_status }: Values): Move => moveTo(status as Status, from_status as Status);

/** Moves a production order to a state, if it still is in the one that the agent saw. */
export const updateProductionStatus = defineTool({
  name: 'update_production_status',
  version: '1.0.0',
  title: 'Change the state of a production order',
  description: 'Moves a production order from from_status to status, as far as the ERP allows it.',
  summary: 'Move the production order {/production_id} from {/from_status} to {/status}',
  category: 'manufacturing',
  effect_class: 'commit_high',
  reversibility: 'semantic',
  idempotency: { discriminating: ['production_id', 'from_status', 'status'] },
  resources: [{ name: 'production_order:{/production_id}', effect: 'replaces' }],
  ...writeTimes,
  input: z.strictObject({ production_id: erpId, from_status: productionStatus, status: productionStatus }),
  output: movedShape(PRODUCTION),
  system_input: native(PRODUCTION, 'from_status', 'status'),
  ...moves('production_order', PRODUCTION, moveOf),
  compensate: movesBack('production_order', PRODUCTION, ({ from_status }) => moveTo(from_status as Status)),
});
