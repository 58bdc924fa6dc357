import type { DeferTimeout, EditedInputs, ToolCall } from '@countersign/contracts';
import type { KeyHolder } from '@countersign/domain';

/** A call that needs a ruling. */
export interface Question {
  call_id: string;
  revision: number;
  /** Append time of the record that asks; of a call that has waited, of now. */
  at_ms: number;
  tenant_id: string;
  call: ToolCall;
  /** Configuration that must have been seen before it is judged; absent: any will do. */
  config_offset?: number;
  /** An executor would not fire it: the policy is stricter than the ruling that let it through. */
  at_execution: boolean;
  /** It was to be answered by an earlier call whose effect is no longer in place: no settled call holds its key. */
  answer_gone?: boolean;
  /** A question to people about this key is in progress: nothing needs to be looked up. */
  key_is_known: boolean;
  /** The call in flight that holds something of limits for the same effect. */
  held_by: KeyHolder | undefined;
  /** Only of a call that has waited. */
  resumed?: Resumed;
}

/** What is known of a call that is judged again after a wait. */
export interface Resumed {
  /** The rule that had it wait. */
  rule: string;
  timed_out: boolean;
  timeout_at_ms: number;
  on_timeout: DeferTimeout;
  /** Rules whose wait is over. */
  waited: readonly string[];
}

/** Inputs that an approver wants instead: the call with them, and their own key. */
export interface EditQuestion {
  /** Offset of the vote. */
  offset: number;
  /** The requested call, and the revision that the edit opens. */
  call_id: string;
  revision: number;
  at_ms: number;
  tenant_id: string;
  call: ToolCall;
  edited: EditedInputs;
}
