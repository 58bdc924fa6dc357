import { approvals } from './approvals/approvals.projection.js';
import { calls } from './calls/calls.projection.js';
import { caseHistory } from './case-history/case-history.projection.js';
import { cases } from './cases/cases.projection.js';
import type { Projection } from './projection.js';

/** Everything that is folded from the log; a new projection is one folder and one line here. */
export const projections: readonly Projection[] = [approvals, calls, caseHistory, cases];

/** Raise it when a fold changes or a projection is added: the views are then emptied and refolded from the log. */
export const FOLD_VERSION = 1;
