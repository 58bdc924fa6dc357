import { createHmac } from 'node:crypto';
import type { Caller } from '@countersign/calls';
import { canonicalText, keyOfText } from '@countersign/contracts';
import type { SagaIdentity } from '../sagas/saga-identity.js';

/**
 * The saga of an undo: the same principal and preview give the same one, so that a repeat of the request joins it. `after` is an earlier
 * saga of the same preview that ended without undoing everything.
 */
export function undoIdentity({ tenant_id, principal }: Caller, preview_digest: string, tenant_key: Uint8Array, after = ''): SagaIdentity {
  const text = canonicalText(['undo', tenant_id, principal.kind, principal.id, preview_digest, after]);
  const request_digest = createHmac('sha256', tenant_key).update(text).digest('hex');
  return { saga_id: `undo_${keyOfText(tenant_key, text)}`, chosen_by: 'saga_id', request_digest };
}
