import type { ClaimedKey, CompensatedEffect } from '@countersign/contracts';
import type { Job } from './job.js';

/** An effect that is to be undone, as it was recorded. */
export interface UndoneEffect {
  /** Whole, as its tool gave it; of a mapped call, as its caller got it. */
  output: unknown;
  /** The second key of a call of edited inputs. */
  also: ClaimedKey | null;
}

/** Whether a call asks its tool to undo an earlier effect of the same tool. */
export const undoesOwn = ({ call }: Job): boolean => call.compensates?.kind === 'own';

/** What a call undoes, with what was found of it. */
export function compensated({ call, undone }: Job): CompensatedEffect | undefined {
  return call.compensates ? { ...call.compensates, also: undone?.also ?? call.compensates.also } : undefined;
}
