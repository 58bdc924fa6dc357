import type { RunContext } from '@countersign/tool-kit';
import type { Kind, Values } from '../hermes/port.js';
import { refused } from '../hermes/refusal.js';
import { hermesOf, proposalsOf } from './connection.js';
import type { Creation } from './creates.js';
import { recordOf } from './reads.js';

export const PROPOSAL = 'proposal_id';

/** A staged change: nothing in the business system is touched. */
export const proposal: Creation<typeof PROPOSAL> = {
  id: PROPOSAL,
  by_hand: 'read the change in the ERP and reverse it there',
  system: proposalsOf,
};

/** @throws ToolError if the record that a proposal is about does not exist, or nothing of it would change */
export async function checkTarget(ctx: RunContext, kind: Kind, id_name: string, id: string, changes: Values): Promise<void> {
  await recordOf(await hermesOf(ctx), kind, id_name, id);
  if (Object.keys(changes).length === 0) throw refused('/changes', 'empty', 'names no field');
}
