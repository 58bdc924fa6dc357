import type { CallContext } from './generated/events.js';

/** The context of a call whose agent sent none. Shared: copy it, never change it. */
export const NO_CONTEXT: Readonly<CallContext> = {
  agent: null,
  run_id: null,
  step_id: null,
  request_id: null,
  seq: null,
  iteration: null,
  rationale: null,
  skill: null,
  step: null,
  rule: null,
  purpose: null,
  safety_mode: null,
  run_budget: null,
  depends_on: null,
};
