import type { EditedInputs, ToolCall } from '@countersign/contracts';
import type { KeyHolder } from '@countersign/domain';

/** A call that needs a ruling. */
export interface Question {
  call_id: string;
  revision: number;
  /** Append time of the requesting record; for a call that has waited, the current time. */
  at_ms: number;
  tenant_id: string;
  call: ToolCall;
  /** The configuration offset that must be folded before the call is judged; absent: any. */
  config_offset?: number;
  /** An executor refused to fire the call: the policy is stricter than the earlier ruling. */
  at_execution: boolean;
  /** The effect of the earlier call that should answer this one is no longer in place: no settled call holds its key. */
  answer_gone?: boolean;
  /** An approval for this key is open: the holder need not be looked up. */
  key_is_known: boolean;
  /** The call in flight that has reservations for the same effect. */
  held_by: KeyHolder | undefined;
  /** Only for a call that has waited. */
  resumed?: Resumed;
}

/** The state of a call that is judged again after a wait. */
export interface Resumed {
  /** The rule that deferred the call. */
  rule: string;
  timed_out: boolean;
  timeout_at_ms: number;
  /** Rules whose wait is over. */
  waited: readonly string[];
}

/** Edited inputs of an approver: the call with them, and their own key. */
export interface EditQuestion {
  /** Offset of the vote. */
  offset: number;
  /** The requested call, and the revision of the edited request. */
  call_id: string;
  revision: number;
  at_ms: number;
  tenant_id: string;
  call: ToolCall;
  edited: EditedInputs;
}
