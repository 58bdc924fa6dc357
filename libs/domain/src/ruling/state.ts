import type { ToolCall } from '@countersign/contracts';
import type { Approval } from '../approval/state.js';
import { initialLedger, type LimitLedger } from '../limit/ledger.js';

/**
 * The state of policy for one partition: open approvals, grants without an end, and calls that may run and have no end yet. Everything else
 * is dropped, so its size depends on the calls in flight, not on the past. Folded from policy's own records and from the ends on
 * tool-executed; its single owner changes it in place.
 */
export interface RulingState {
  approvals: Map<string, Approval>;
  /** The approval of each member call. */
  approval_of_call: Map<string, string>;
  /** The newest approval of each idempotency key. */
  approval_of_key: Map<string, string>;
  /** Calls that may run, by call_id. */
  allowed: Map<string, AllowedCall>;
  limits: LimitLedger;
  /** Requested undos without an end, by the key of the effect. Until then the key answers no call. */
  undoing: Map<string, ReadonlySet<string>>;
  /** The newest ended undos. A repeated request of one gets a new ruling and does not block its key again. */
  ended_undos: Set<string>;
}

/** The data needed to cancel a call that may run. */
export interface AllowedCall {
  tenant_id: string;
  revision: number;
  /** Null after a start from a snapshot. */
  call: ToolCall | null;
}

export function initialRulings(): RulingState {
  return {
    approvals: new Map(),
    approval_of_call: new Map(),
    approval_of_key: new Map(),
    allowed: new Map(),
    limits: initialLedger(),
    undoing: new Map(),
    ended_undos: new Set(),
  };
}

export function approvalOfCall(state: RulingState, call_id: string): Approval | undefined {
  const id = state.approval_of_call.get(call_id);
  return id === undefined ? undefined : state.approvals.get(id);
}

export function approvalOfKey(state: RulingState, key: string): Approval | undefined {
  const id = state.approval_of_key.get(key);
  return id === undefined ? undefined : state.approvals.get(id);
}
