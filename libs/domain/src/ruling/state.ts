import type { ToolCall } from '@countersign/contracts';
import type { Approval } from '../approval/state.js';
import { initialLedger, type LimitLedger } from '../limit/ledger.js';

/**
 * What policy has to remember of one partition: open questions, grants without an end, and calls that may run and have
 * no end yet. Everything else is dropped, so its size goes with what is in flight and not with what has been. A fold of
 * policy's own output and of the ends on tool-executed; changed in place by its one owner.
 */
export interface RulingState {
  approvals: Map<string, Approval>;
  /** Members of these approvals. */
  approval_of_call: Map<string, string>;
  /** The newest approval of an idempotency key. */
  approval_of_key: Map<string, string>;
  /** Calls that may run, by call_id. */
  allowed: Map<string, AllowedCall>;
  limits: LimitLedger;
  /** Requested undos without an end, by the key of the effect: the key answers no call until then. */
  undoing: Map<string, ReadonlySet<string>>;
  /** The newest ended undos: a repeated request of one gets a new ruling and starts nothing. */
  ended_undos: Set<string>;
}

/** What a cancellation of a call that may run needs to know. */
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
