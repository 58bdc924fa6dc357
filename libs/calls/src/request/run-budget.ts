import { z } from 'zod';
import type { CallRequest } from './call-request.js';

/** The remaining budget of a run: a number (US dollars), or money and time. */
export const runBudget = z.union([
  z.number().min(0),
  z.strictObject({
    cost: z.number().min(0).optional().describe('US dollars'),
    time_ms: z.number().min(0).optional().describe('from the moment of the request'),
  }),
]);

type BudgetedRequest = Pick<CallRequest, 'deadline' | 'context'>;

/** Epoch ms after which the call neither fires nor is awaited: the caller's deadline or the end of the run's time, whichever is earlier. */
export function deadlineOf({ deadline, context }: BudgetedRequest, now_ms: number): number | null {
  const budget = context?.run_budget;
  const times = [
    ...(deadline === undefined ? [] : [Date.parse(deadline)]),
    ...(typeof budget === 'object' && budget.time_ms !== undefined ? [Math.floor(now_ms + budget.time_ms)] : []),
  ];
  return times.length === 0 ? null : Math.min(...times);
}

/** The remaining money of the run, US dollars; null: no limit. */
export function costLeft({ context }: BudgetedRequest): number | null {
  const budget = context?.run_budget;
  return typeof budget === 'object' ? (budget.cost ?? null) : (budget ?? null);
}
