import type { CallState, ToolVersion } from '@countersign/domain';
import { Refusal } from '../refusal.js';

/** Until when the effect of a call can be undone, epoch ms; null: without a limit. */
export function undoUntilMs({ contract }: Pick<ToolVersion, 'contract'>, { end }: Pick<CallState, 'end'>): number | null {
  const { undo_within_ms } = contract;
  return end && undo_within_ms !== undefined ? end.outcome.ended_at_ms + undo_within_ms : null;
}

/** Why the tool cannot undo this effect; undefined if it can. */
export function undoFaultOf(
  tool: Pick<ToolVersion, 'name' | 'contract'>,
  state: Pick<CallState, 'end'>,
  now_ms: number,
): Refusal | undefined {
  const { name, contract } = tool;
  if (contract.has_compensate) return lateFault(name, undoUntilMs(tool, state), now_ms);
  if (contract.reversibility === 'irreversible')
    return new Refusal('not-undoable', `the effect of ${name} cannot be undone`, { reason: 'irreversible' });
  return new Refusal('not-undoable', `${name} has no undo: reverse its effect with another call`, { reason: 'tool_cannot_undo' });
}

function lateFault(name: string, until_ms: number | null, now_ms: number): Refusal | undefined {
  if (until_ms === null || now_ms <= until_ms) return undefined;
  const until = new Date(until_ms).toISOString();
  return new Refusal('not-undoable', `${name} could undo the effect until ${until}: reverse it with another call`, {
    reason: 'undo_time_over',
  });
}
