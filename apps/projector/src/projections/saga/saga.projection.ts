import { type Statement, sagaTables as set } from '@countersign/store';
import type { Change, PendingRows, Projection } from '../projection.js';
import { PendingAnswers } from './pending-answers.js';
import { PendingLateEffects } from './pending-late-effects.js';
import { PendingSagaRows } from './pending-saga-rows.js';
import { PendingSkips } from './pending-skips.js';
import { PendingSteps } from './pending-steps.js';
import { PendingTickets } from './pending-tickets.js';
import { PendingWaits } from './pending-waits.js';
import { isSagaEvent } from './saga-event.js';

/** The rows of one write. */
class PendingSagas implements PendingRows {
  private readonly parts = [
    new PendingSagaRows(),
    new PendingSteps(),
    new PendingSkips(),
    new PendingWaits(),
    new PendingTickets(),
    new PendingAnswers(),
  ];

  private readonly late = new PendingLateEffects();

  fold(change: Change): void {
    this.late.fold(change);
    const { at } = change;
    if (isSagaEvent(at)) for (const part of this.parts) part.fold(at);
  }

  statements(): Statement[] {
    return [...this.parts, this.late].flatMap((part) => part.statements());
  }
}

/** Sagas with their steps, compensations, waits and tickets. Status and tickets agree with the fold of the domain. */
export const saga: Projection = { set, empty: () => new PendingSagas() };
