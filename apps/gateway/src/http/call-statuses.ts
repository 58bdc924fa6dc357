import type { CallStatus } from '@countersign/domain';

/** Every status of a call, as filters and documents name them. */
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
