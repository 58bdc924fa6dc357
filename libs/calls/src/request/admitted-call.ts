import type { Meta, ToolCall } from '@countersign/contracts';
import type { PersonalRule, Tenant } from '@countersign/domain';
import type { Refusal } from '../refusal.js';

/** The notice to callers of a deprecated version. */
export interface Deprecation {
  warning: string;
  changed_at_ms: number;
  /** When the version stops, where that is known. */
  sunset_at_ms: number | null;
}

/** A call that may go on the record. */
export interface AdmittedCall {
  topic: string;
  meta: Meta & { call_id: string };
  call: ToolCall;
  tenant: Tenant;
  /** Where its version is deprecated. */
  deprecation: Deprecation | undefined;
  /** Its id follows from the request, so it may be on the record already. */
  numbered: boolean;
  /** Why it may no longer be recorded; a call that was recorded in time is still answered. Numbered calls only. */
  refusal_if_new: Refusal | undefined;
  /** The rules that call something of it personal: it is sealed before it is recorded. */
  personal: readonly PersonalRule[];
}
