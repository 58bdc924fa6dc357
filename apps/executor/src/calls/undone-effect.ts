import type { ClaimedKey, CompensatedEffect } from '@countersign/contracts';
import type { Job } from './job.js';

/** The recorded effect that a call undoes. */
export interface UndoneEffect {
  /** The full output of the tool; for a mapped call, the output that its caller got. */
  output: unknown;
  /** The second key of a call with edited inputs. */
  also: ClaimedKey | null;
}

/** True if a call asks its tool to undo an earlier effect of the same tool. */
export const undoesOwn = ({ call }: Job): boolean => call.compensates?.kind === 'own';

/** The effect that a call undoes, with what was found about it. */
export function compensated({ call, undone }: Job): CompensatedEffect | undefined {
  return call.compensates ? { ...call.compensates, also: undone?.also ?? call.compensates.also } : undefined;
}
