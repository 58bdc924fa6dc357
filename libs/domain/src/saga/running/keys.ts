import { canonicalText } from '@countersign/contracts';

/**
 * The text from which the key of a step is derived; the caller hashes it with the tenant's key. It has no attempt, so that a resend has the
 * same key.
 */
export function stepKeyText(saga_id: string, step_id: string, level: number): string {
  return canonicalText(['saga', saga_id, step_id, level, 'forward']);
}

/** The text from which the key of a compensation is derived: only the effect, whoever requests it. */
export function undoKeyText(effect: { effect_key: string; effect_attempt: number }): string {
  return canonicalText(['compensate', effect.effect_key, effect.effect_attempt]);
}
