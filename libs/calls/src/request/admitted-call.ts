import type { Meta, ToolCall } from '@countersign/contracts';
import type { PersonalRule, Tenant } from '@countersign/domain';
import type { Refusal } from '../refusal.js';

/** The notice to callers of a deprecated version. */
export interface Deprecation {
  warning: string;
  changed_at_ms: number;
  /** When the version stops running, if known. */
  sunset_at_ms: number | null;
}

/** A validated call that is ready to be recorded. */
export interface AdmittedCall {
  topic: string;
  meta: Meta & { call_id: string };
  call: ToolCall;
  tenant: Tenant;
  /** Set if the version of the tool is deprecated. */
  deprecation: Deprecation | undefined;
  /** The call id is derived from the request, so the call may already be recorded. */
  numbered: boolean;
  /** Why the call may not be recorded any more. A call that was recorded earlier is still answered. Numbered calls only. */
  refusal_if_new: Refusal | undefined;
  /** The personal-data rules that apply: the matching data is encrypted before the call is recorded. */
  personal: readonly PersonalRule[];
}
