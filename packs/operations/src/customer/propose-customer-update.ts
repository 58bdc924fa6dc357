import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { cancels, createdShape, creates, writeTimes } from '../erp/creates.js';
import { checkChanges, PROPOSAL, proposal } from '../erp/proposals.js';
import type { Values } from '../hermes/port.js';
import { amount, erpId, native, short } from '../hermes/shapes.js';

const changes = z.strictObject({
  name: short(200).optional(),
  email: z.email().max(200).optional(),
  phone: short(40).optional(),
  city: short(100).optional(),
  credit_limit: amount.optional(),
});

/** Stages a change of a customer. Nothing changes until a person approves it as a `propose_write`. */
export const proposeCustomerUpdate = defineTool({
  name: 'propose_customer_update',
  version: '1.0.0',
  title: 'Propose a change of a customer',
  description:
    'Stages a change of the master data of a customer. Nothing changes until propose_write applies it and a person approves that.',
  summary: 'Propose a change of the customer {/customer_id}: {/reason}',
  category: 'customer',
  effect_class: 'stage',
  reversibility: 'reversible',
  idempotency: { discriminating: ['customer_id', 'changes'] },
  resources: [{ name: 'proposal:customer/{/customer_id}', effect: 'adds' }],
  ...writeTimes,
  input: z.strictObject({ customer_id: erpId, changes, reason: short(500) }),
  output: createdShape(PROPOSAL),
  // Behind a mapping the change is staged in the shape of the system, and applied as it was staged.
  system_input: native('customer_id', 'changes', 'reason'),
  ...creates('proposal', proposal),
  run: async ({ customer_id, changes, reason }, ctx) => {
    checkChanges(changes as Values);
    const staged = { operation: 'update', kind: 'customer', target: customer_id, changes, reason };
    return creates('proposal', proposal).run(staged, ctx);
  },
  compensate: cancels('proposal', proposal),
});
