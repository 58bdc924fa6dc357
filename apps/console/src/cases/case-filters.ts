import { statusOf } from '../elements/status.js';
import type { Filter } from '../lists/filters.js';

/** The filters of `GET /v1/cases`, under its names. */
export const CASE_FILTERS: readonly Filter[] = [
  { name: 'text', label: 'Title', kind: 'text', characters_min: 2 },
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    options: ['open', 'awaiting_approval', 'closed'].map((status) => [status, statusOf(status).word] as const),
  },
  { name: 'external_id', label: 'External id', kind: 'text', mono: true },
  { name: 'opened_after', label: 'Opened from', kind: 'time' },
  { name: 'opened_before', label: 'Opened before', kind: 'time' },
  { name: 'within', label: 'Opened', kind: 'within', sent_as: 'opened_after' },
];

export const CASE_PRESETS = [
  { label: 'Open', values: { status: 'open' } },
  { label: 'Waiting', values: { status: 'awaiting_approval' } },
  { label: 'Closed', values: { status: 'closed' } },
];
