import {
  callId,
  isReadOnly,
  keyOfText,
  parseCallId,
  partitionOf,
  type SagaCall,
  type ToolContract,
  uuidOfParts,
} from '@countersign/contracts';
import { DAY_MS, stepKeyText } from '@countersign/domain';
import type { Identity } from './effect-identity.js';

/** The recorded identity of a step's call: every resend has the same. `idempotency_key` is not used by a read-only tool. */
export interface SagaStepOrigin {
  call_id: string;
  idempotency_key: string;
  saga: SagaCall;
  /** True if the call cannot have been recorded before: its step was recorded by this process and the call was not sent yet. */
  is_new: boolean;
}

/** A step takes effect at most once, however late it is sent again. */
const FOR_EVER_MS = 36_500 * DAY_MS;

/** The identity of a step's call. A resend of the call has the same id, and every attempt on the same level has the same key. */
export function newStepOrigin(
  saga: SagaCall,
  contract: Pick<ToolContract, 'effect_class'>,
  { tenant_id, tenant_key, partitions }: { tenant_id: string; tenant_key: Uint8Array; partitions: number },
): SagaStepOrigin {
  const { saga_id, step_id, level, attempt } = saga;
  const uuid = uuidOfParts(['saga', tenant_id, saga_id, step_id, String(level), String(attempt)]);
  const idempotency_key = isReadOnly(contract.effect_class) ? uuid : keyOfText(tenant_key, stepKeyText(saga_id, step_id, level));
  return { call_id: callId(partitionOf(idempotency_key, partitions), uuid), idempotency_key, saga, is_new: false };
}

/** The parts of a call's identity that its step determines. A read is not deduplicated: its key is its own id. */
export function stepIdentity(
  { call_id, idempotency_key, is_new }: SagaStepOrigin,
  { effect_class }: Pick<ToolContract, 'effect_class'>,
): Pick<Identity, 'call_id' | 'partition' | 'idempotency_key' | 'key_source' | 'window_ms' | 'numbered'> {
  const partition = parseCallId(call_id)?.partition ?? 0;
  const numbered = { call_id, partition, numbered: !is_new };
  if (!isReadOnly(effect_class)) return { ...numbered, idempotency_key, key_source: 'saga', window_ms: FOR_EVER_MS };
  return { ...numbered, idempotency_key: call_id.slice(call_id.indexOf('-') + 1), key_source: 'call', window_ms: 0 };
}
