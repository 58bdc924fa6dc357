import { statusOf } from '../elements/status.js';
import type { Filter } from '../lists/filters.js';

export const CALL_STATUSES = [
  ...['pending_policy', 'pending_approval', 'running', 'in_doubt', 'succeeded', 'failed'],
  ...['denied', 'expired', 'cancelled', 'compensated', 'compensation_failed'],
] as const;

/** The filters of `GET /v1/calls`, under its names. */
export const CALL_FILTERS: readonly Filter[] = [
  { name: 'text', label: 'Text', kind: 'text', characters_min: 2 },
  { name: 'status', label: 'Status', kind: 'choices', options: CALL_STATUSES.map((status) => [status, statusOf(status).word] as const) },
  { name: 'tool', label: 'Tool', kind: 'text', mono: true },
  { name: 'case_id', label: 'Case', kind: 'text', mono: true, hint: 'An id, or ext: and its reference' },
  { name: 'run_id', label: 'Run', kind: 'text', mono: true },
  { name: 'principal', label: 'Caller', kind: 'text' },
  { name: 'on_behalf_of', label: 'On behalf of', kind: 'text' },
  { name: 'external_id', label: 'External id', kind: 'text', mono: true },
  { name: 'saga_id', label: 'Saga', kind: 'text', mono: true },
  { name: 'trace_id', label: 'Trace', kind: 'text', mono: true, hint: '32 hex digits' },
  { name: 'requested_after', label: 'From', kind: 'time' },
  { name: 'requested_before', label: 'Before', kind: 'time' },
  { name: 'within', label: 'Requested', kind: 'within', sent_as: 'requested_after' },
];

/** The lists that people open most. */
export const CALL_PRESETS = [
  { label: 'In doubt', values: { status: 'in_doubt,compensation_failed' } },
  { label: 'Waiting', values: { status: 'pending_approval' } },
  { label: 'Running', values: { status: 'pending_policy,running' } },
  { label: 'Failed', values: { status: 'failed' } },
];
