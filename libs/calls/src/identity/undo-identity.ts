import { type CompensatedEffect, callId, keyOfText, parseCallId, sha256Hex, uuidOfParts } from '@countersign/contracts';
import { DAY_MS, undoKeyText } from '@countersign/domain';

/** An effect is undone once: its undo answers every later request, without a time limit. */
const FOR_EVER_MS = 36_500 * DAY_MS;
/** How long an undo may take, including approvals by people. */
export const UNDO_DEADLINE_MS = DAY_MS;

/** Identity of an undo: derived from the effect alone, so that all requests for it join one call. */
export interface UndoIdentity {
  call_id: string;
  partition: number;
  idempotency_key: string;
  key_source: 'effect';
  discriminating_digest: string;
  window_ms: number;
}

export interface UndoIdentityTerms {
  tenant_id: string;
  tenant_key: Uint8Array;
  principal_id: string;
  /** The caller's own id of this request: the same id is the same call. Absent: each request is a new call, which joins the others. */
  request_id?: string | undefined;
  fresh_uuid: string;
}

/** The undo runs on the partition of the effect. */
export function undoIdentity({ call_id, idempotency_key, attempt }: CompensatedEffect, terms: UndoIdentityTerms): UndoIdentity {
  const text = undoKeyText({ effect_key: idempotency_key, effect_attempt: attempt });
  const partition = parseCallId(call_id)?.partition ?? 0;
  const { tenant_id, principal_id, request_id } = terms;
  const uuid = request_id === undefined ? terms.fresh_uuid : uuidOfParts(['undo', tenant_id, principal_id, text, request_id]);
  return {
    call_id: callId(partition, uuid),
    partition,
    idempotency_key: keyOfText(terms.tenant_key, text),
    key_source: 'effect',
    discriminating_digest: sha256Hex(text),
    window_ms: FOR_EVER_MS,
  };
}
