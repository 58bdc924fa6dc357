import { DAY_MS } from '@countersign/domain';

const PERIOD = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** A month in UTC. */
export interface BillingPeriod {
  /** `2026-11` */
  period: string;
  /** Days since 1970; `to_day` is exclusive. */
  from_day: number;
  to_day: number;
  ends_at_ms: number;
}

/** Undefined if the text is not a month. */
export function billingPeriod(text: string): BillingPeriod | undefined {
  const match = PERIOD.exec(text);
  if (!match) return undefined;
  const [year, month] = [Number(match[1]), Number(match[2])];
  const ends_at_ms = Date.UTC(year, month, 1);
  return { period: text, from_day: Date.UTC(year, month - 1, 1) / DAY_MS, to_day: ends_at_ms / DAY_MS, ends_at_ms };
}

/** The month before the month of this time. */
export function periodBefore(now_ms: number): BillingPeriod {
  const now = new Date(now_ms);
  const text = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
  return billingPeriod(text) as BillingPeriod;
}

/** Formats yyyymm as `2026-11`. */
export function monthText(yyyymm: number): string {
  const text = String(yyyymm);
  return `${text.slice(0, -2)}-${text.slice(-2)}`;
}
