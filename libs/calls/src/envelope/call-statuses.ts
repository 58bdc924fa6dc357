import type { DeduplicatedBecause, EffectNow } from '@countersign/contracts';
import type { CallStatus } from '@countersign/domain';

/** Every status of a call, as used in filters and documents. */
export const statuses = [
  'pending_policy',
  'pending_approval',
  'running',
  'succeeded',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'in_doubt',
  'compensated',
  'compensation_failed',
] as const satisfies readonly CallStatus[];

export const deduplicatedBecause = ['live_key', 'same_request', 'effect_stands'] as const satisfies readonly DeduplicatedBecause[];
export const effectNow = ['stands', 'superseded', 'unknown'] as const satisfies readonly EffectNow[];
