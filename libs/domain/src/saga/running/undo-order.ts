import { inDoubt, isLive, isStuck, pivotOf, type Run, type RunningSaga, runsOf, stands } from './state.js';

/** The place of an effect in the order of effects. */
export const seqOf = (run: Run): number => run.end?.seq ?? 0;

function shareResource(a: Run, b: Run): boolean {
  if (a.resources.length === 0 || b.resources.length === 0) return true;
  return a.resources.some((one) => b.resources.some((other) => isAtOrBelow(one, other) || isAtOrBelow(other, one)));
}

/** Names of resources are paths. */
const isAtOrBelow = (name: string, above: string): boolean => name === above || name.startsWith(`${above}/`);

/** The calls that a compensating saga undoes: newer than the pivot, or in compensation since before the pivot took effect. */
export function turnedBack(saga: RunningSaga): Run[] {
  const pivot = pivotOf(saga);
  return runsOf(saga).filter((run) => !pivot || seqOf(run) > seqOf(pivot) || run.requested_seq > seqOf(pivot) || run.undo !== null);
}

/** The compensations that may start now: newest effect first on each resource, and none older than a call that is open or in doubt. */
export function undoDue(scope: readonly Run[]): Run[] {
  const left = scope.filter((run) => stands(run) && !isStuck(run));
  const unknown = scope.filter((run) => isLive(run) || inDoubt(run));
  const waitsFor = (run: Run) =>
    unknown.some((other) => other.requested_seq > seqOf(run)) ||
    left.some((other) => other !== run && seqOf(other) > seqOf(run) && shareResource(other, run));
  return left.filter((run) => (run.undo === null || run.undo.state === 'again') && !waitsFor(run));
}

export const stuckIn = (scope: readonly Run[]): Run[] => scope.filter((run) => stands(run) && isStuck(run));

export const undoRequested = (scope: readonly Run[]): Run[] => scope.filter((run) => run.undo?.state === 'requested');
