import type { Values } from '../hermes/port.js';
import { refused } from '../hermes/refusal.js';
import { proposalsOf } from './connection.js';
import type { Creation } from './creates.js';

export const PROPOSAL = 'proposal_id';

/** A staged change: nothing in the business system is touched. */
export const proposal: Creation<typeof PROPOSAL> = {
  id: PROPOSAL,
  by_hand: 'read the change in the ERP and reverse it there',
  system: proposalsOf,
};

/** @throws ToolError if a proposal changes nothing. Its target is looked for when it is applied: a stage touches nothing outside. */
export function checkChanges(changes: Values): void {
  if (Object.keys(changes).length === 0) throw refused('/changes', 'empty', 'names no field');
}
