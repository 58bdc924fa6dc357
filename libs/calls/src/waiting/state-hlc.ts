import type { CallState } from '@countersign/domain';

/** The newest fact of a call, by its hybrid logical clock (hlc). */
export function newestFact(state: CallState): { hlc: number; event_id: string | null } {
  let newest: { hlc: number; event_id: string | null } = { hlc: 0, event_id: null };
  const { requested, ruling, approval, approval_end, started, doubt, end, compensation, late_effect } = state;
  for (const fact of [requested, ruling, approval, approval_end, started, doubt, end, compensation, late_effect])
    if (fact && fact.hlc > newest.hlc) newest = fact;
  return newest;
}

/** When the newest fact of a call was recorded, epoch ms. */
export const newestFactMs = (state: CallState): number => Math.floor(newestFact(state).hlc / 1_000);
