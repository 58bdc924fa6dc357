import { type CallError, callError } from '@countersign/contracts';
import type { ExecutionState } from './row.js';

/** The tool's verification of an effect after its undo ran. */
export type AfterUndo = 'verified' | 'contradicted' | 'cannot_tell';

/** Confirmed: the effect is removed. Unconfirmed: that is unknown. Failed: the effect is still in place. */
export function confirmed(seen: AfterUndo | undefined): 'confirmed' | 'unconfirmed' | 'failed' | 'not_asked' {
  switch (seen) {
    case 'contradicted':
      return 'confirmed';
    case 'cannot_tell':
      return 'unconfirmed';
    case 'verified':
      return 'failed';
    case undefined:
      return 'not_asked';
  }
}

/** Why an effect cannot be undone now. A closed list; names never change. */
export type NotUndoable = 'already_undone' | 'effect_unknown' | 'effect_has_not_happened' | 'output_not_kept' | 'output_erased';

const WORDS: Readonly<Record<NotUndoable, string>> = {
  already_undone: 'the effect is already undone; nothing was done',
  effect_unknown: 'the outcome of the effect is unknown: resolve its call first; nothing was done',
  effect_has_not_happened: 'the effect has not happened; nothing was done',
  output_not_kept: 'the whole output of the effect was not kept, and its tool needs it; nothing was done',
  output_erased: 'the output of the effect was erased, and its tool needs it; nothing was done',
};

export const notUndoable = (reason: NotUndoable): CallError =>
  callError('VALIDATION_ERROR', WORDS[reason], { class: 'semantic', details: { reason } });

/** Why an effect with this row cannot be undone; undefined if it can. */
export function undoFault(state: ExecutionState | undefined): NotUndoable | undefined {
  switch (state) {
    case 'succeeded':
    case 'failed_with_effect':
      return undefined;
    case 'compensated':
      return 'already_undone';
    case 'in_doubt':
    case 'running':
      return 'effect_unknown';
    default:
      return 'effect_has_not_happened';
  }
}
