import type { EventMap } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import type { Retention, RetentionTerms } from '../state/personal-data.js';

/** The minimum for every tenant: the log of a high-risk system must be kept for half a year. */
export const RETENTION_FLOOR_MONTHS = 6;

function retentionPart(state: ConfigurationState, tenant_id: string): Retention {
  const part = tenantPart(state, tenant_id);
  part.retention ??= { terms: undefined, applied: new Map() };
  return part.retention;
}

export function setRetention(state: ConfigurationState, { meta, based_on: _base, ...terms }: EventMap['retention_set']): void {
  retentionPart(state, meta.tenant_id).terms = terms;
}

export function applyRetention(state: ConfigurationState, { meta, cutoffs }: EventMap['retention_applied']): void {
  const { applied } = retentionPart(state, meta.tenant_id);
  for (const { markings, before_period } of cutoffs) {
    const known = applied.get(markings);
    if (known === undefined || known < before_period) applied.set(markings, before_period);
  }
}

export function retentionOf(state: ConfigurationState, tenant_id: string): Retention | undefined {
  return state.by_tenant.get(tenant_id)?.retention;
}

/** How many months data with these markings is kept: by the strictest rule of its markings, else by the default rule. Null: forever. */
export function keepMonths(terms: RetentionTerms, markings: readonly string[]): number | null {
  const own = terms.rules.filter(({ marking }) => marking !== null && markings.includes(marking));
  const rest = terms.rules.filter(({ marking }) => marking === null);
  const rules = own.length > 0 ? own : rest;
  if (rules.length === 0) return null;
  return Math.max(RETENTION_FLOOR_MONTHS, terms.floor_months, Math.min(...rules.map(({ months }) => months)));
}

/** The month (YYYY-MM, UTC) that is this many months before the month of a time. */
export function periodBefore(at_ms: number, months: number): string {
  const at = new Date(at_ms);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
}

/** The time this many months before, UTC. If that month lacks the day, its last day: the result is never later than requested. */
export function monthsBefore(at_ms: number, months: number): number {
  const at = new Date(at_ms);
  const day = at.getUTCDate();
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() - months);
  const days = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  return at.setUTCDate(Math.min(day, days));
}
