import { createHash } from 'node:crypto';
import { type BillingKey, billingLines, type Sql } from '@countersign/store';
import { type BillingLine, billingFormats, billingLine } from './billing-line.js';
import type { BillingPeriod } from './billing-period.js';

const PAGE = 500;

/** The billing lines of a tenant's month in order, page by page, in constant memory. */
export async function* billingPages(
  sql: Sql,
  tenant_id: string,
  { period, from_day, to_day }: BillingPeriod,
): AsyncGenerator<BillingLine[]> {
  let after: BillingKey | undefined;
  for (;;) {
    const rows = await billingLines(sql, { tenant_id, from_day, to_day, limit: PAGE, after });
    if (rows.length > 0) yield rows.map((row) => billingLine(tenant_id, period, row));
    after = rows.at(-1);
    if (rows.length < PAGE) return;
  }
}

/** Totals of a month. */
export interface BillingTotals {
  lines: number;
  corrections: number;
  /** SHA-256 of the lines as NDJSON, hex. */
  digest: string;
  calls: number;
  cost_micros: number;
}

export async function billingTotals(sql: Sql, tenant_id: string, period: BillingPeriod): Promise<BillingTotals> {
  const hash = createHash('sha256');
  const totals = { lines: 0, corrections: 0, calls: 0, cost_micros: 0 };
  for await (const page of billingPages(sql, tenant_id, period)) {
    for (const line of page) {
      hash.update(billingFormats.ndjson.line(line));
      totals.lines++;
      if (line.kind === 'correction') totals.corrections++;
      totals.calls += line.billable_calls;
      totals.cost_micros += Math.round(line.cost_usd * 1e6);
    }
  }
  return { ...totals, digest: hash.digest('hex') };
}
