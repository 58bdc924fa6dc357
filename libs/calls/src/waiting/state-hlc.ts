import type { CallState } from '@countersign/domain';

/** The newest fact of a call: its place in causal order and its event. */
export function newestFact(state: CallState): { hlc: number; event_id: string | null } {
  let newest: { hlc: number; event_id: string | null } = { hlc: 0, event_id: null };
  for (const fact of [state.requested, state.ruling, state.approval, state.approval_end, state.started, state.doubt, state.end])
    if (fact && fact.hlc > newest.hlc) newest = fact;
  return newest;
}
