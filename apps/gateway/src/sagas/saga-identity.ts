import { createHmac } from 'node:crypto';
import { type Caller, Refusal } from '@countersign/calls';
import { type Authority, canonicalText, keyOfText, uuidv7 } from '@countersign/contracts';
import type { SagaRequest } from './saga-request.schemas.js';

/** The id of a requested saga, and what distinguishes a repeat of the request from another one. */
export interface SagaIdentity {
  saga_id: string;
  /** Who chose the id; `none`: every request is a new saga. */
  chosen_by: 'none' | 'saga_id' | 'key';
  request_digest: string;
}

export interface IdentityTerms {
  caller: Caller;
  idempotency_key: string | undefined;
  authority: Authority;
  tenant_key: Uint8Array;
  now_ms: number;
}

/** @throws TypeError if the request is not canonical JSON. */
function digestOf({ definition, inputs, case_id, deadline }: SagaRequest, { caller, authority, tenant_key }: IdentityTerms): string {
  const { kind, id } = caller.principal;
  const who = [kind, id, authority.on_behalf_of?.id ?? null];
  // A version that is absent may be undefined; inputs are as they were parsed.
  const text = canonicalText(['saga', ...who, JSON.parse(JSON.stringify(definition)), inputs, case_id ?? null, deadline ?? null]);
  return createHmac('sha256', tenant_key).update(text).digest('hex');
}

/** The same key of the same principal gives the same id in every gateway. */
export function sagaIdentity(request: SagaRequest, terms: IdentityTerms): SagaIdentity | Refusal {
  const { caller, idempotency_key, tenant_key, now_ms } = terms;
  if (idempotency_key !== undefined && request.saga_id !== undefined)
    return new Refusal('invalid-request', 'send either saga_id or an Idempotency-Key: both choose the id of the saga', {
      issues: [{ path: '/saga_id', code: 'ambiguous', message: 'the request has an Idempotency-Key' }],
    });
  const request_digest = digestOf(request, terms);
  if (request.saga_id !== undefined) return { saga_id: request.saga_id, chosen_by: 'saga_id', request_digest };
  if (idempotency_key === undefined) return { saga_id: `saga_${uuidv7(now_ms)}`, chosen_by: 'none', request_digest };
  const { kind, id } = caller.principal;
  const uuid = keyOfText(tenant_key, canonicalText(['saga', caller.tenant_id, kind, id, idempotency_key]));
  return { saga_id: `saga_${uuid}`, chosen_by: 'key', request_digest };
}
