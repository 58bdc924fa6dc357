import { canonicalText, sha256Hex } from '@countersign/contracts';
import type { BillingRow } from '@countersign/store';
import { monthText } from './billing-period.js';

/** A billing line of a tenant: one agent's use of one tool for one case in one month. */
export interface BillingLine {
  /** Stable for each line, so that a line is billed only once. */
  line_id: string;
  tenant_id: string;
  period: string;
  kind: 'usage' | 'correction';
  /** The earlier month that a correction refers to: its calls were in doubt when it was closed, and have ended since. */
  corrects: string | null;
  agent: string;
  case_id: string | null;
  tool: string;
  /** Successful runs; responses from a cache and to duplicates are free. */
  billable_calls: number;
  failed_calls: number;
  in_doubt_calls: number;
  resolved_calls: number;
  duration_ms: number;
  /** US dollars by the tools' contracts, exact to a millionth. */
  cost_usd: number;
}

export function billingLine(tenant_id: string, period: string, row: BillingRow): BillingLine {
  const { agent, case_id, tool, corrects } = row;
  const names = { tenant_id, period, corrects: corrects === 0 ? null : monthText(corrects), agent, case_id: case_id || null, tool };
  return {
    line_id: sha256Hex(canonicalText(names)).slice(0, 32),
    kind: corrects === 0 ? 'usage' : 'correction',
    ...names,
    billable_calls: row.succeeded - row.cached,
    failed_calls: row.failed,
    in_doubt_calls: row.in_doubt,
    resolved_calls: row.resolved,
    duration_ms: row.duration_us / 1000,
    cost_usd: row.cost_micros / 1e6,
  };
}

const billingColumns = [
  'line_id',
  'tenant_id',
  'period',
  'kind',
  'corrects',
  'agent',
  'case_id',
  'tool',
  'billable_calls',
  'failed_calls',
  'in_doubt_calls',
  'resolved_calls',
  'duration_ms',
  'cost_usd',
] as const satisfies readonly (keyof BillingLine)[];

/** A CSV field (RFC 4180). Text that a spreadsheet would evaluate as a formula gets a leading apostrophe. */
function csvField(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const billingFormats = {
  ndjson: {
    content_type: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (line: BillingLine) => `${JSON.stringify(Object.fromEntries(billingColumns.map((name) => [name, line[name]])))}\n`,
  },
  csv: {
    content_type: 'text/csv; charset=utf-8',
    head: `${billingColumns.join(',')}\r\n`,
    line: (line: BillingLine) => `${billingColumns.map((name) => csvField(line[name])).join(',')}\r\n`,
  },
} as const;

export type BillingFormat = keyof typeof billingFormats;
