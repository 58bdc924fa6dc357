import { canonicalText } from '@countersign/contracts';

/** What the key of a step is made of; the caller hashes it under the key of the tenant. Attempts are not part of it: a resend has the same key. */
export function stepKeyText(saga_id: string, step_id: string, level: number): string {
  return canonicalText(['saga', saga_id, step_id, level, 'forward']);
}

/** The parts of the key of a compensation: the effect alone, regardless of the requester. */
export function undoKeyText(effect: { effect_key: string; effect_attempt: number }): string {
  return canonicalText(['compensate', effect.effect_key, effect.effect_attempt]);
}
