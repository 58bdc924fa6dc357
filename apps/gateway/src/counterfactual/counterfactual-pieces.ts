import type { CallComparison, ComparedCall, CounterfactualAnswer } from '@countersign/decisions';

const MICRO = 1_000_000;
const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function callOf({ started_at_ms, ended_at_ms, approval, ...compared }: ComparedCall): Record<string, unknown> {
  const shown = approval && { approval_id: approval.approval_id, end: approval.end, ended_at: time(approval.ended_at_ms) };
  return { ...compared, approval: shown, started_at: time(started_at_ms), ended_at: time(ended_at_ms) };
}

function comparisonOf({ requested_at_ms, recorded, counterfactual, ...rest }: CallComparison): Record<string, unknown> {
  return {
    ...rest,
    requested_at: time(requested_at_ms),
    recorded: callOf(recorded),
    counterfactual: counterfactual && callOf(counterfactual),
  };
}

/** The response as JSON in chunks, one comparison at a time. `more`: further members of the response. */
export function* counterfactualPieces({ comparisons, limits, ...rest }: CounterfactualAnswer, more: object): Generator<string> {
  yield `${JSON.stringify({ ...more, ...rest }).slice(0, -1)},"limits":[`;
  for (const [at, { at_ms, used_micro, requested_micro: asked_micro, max_micro, ...trip }] of limits.entries()) {
    const amounts = { used: used_micro / MICRO, asked: asked_micro / MICRO, max: max_micro / MICRO };
    yield `${at > 0 ? ',' : ''}${JSON.stringify({ ...trip, at: time(at_ms), ...amounts })}`;
  }
  yield '],"comparisons":[';
  for (const [at, one] of comparisons.entries()) yield `${at > 0 ? ',' : ''}${JSON.stringify(comparisonOf(one))}`;
  yield ']}';
}
