import type { EventMap } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import type { UsagePeriod } from '../state/tenants.js';

/** The first record closes a month; later ones only mark it as reported. */
export function closeUsagePeriod(state: ConfigurationState, { meta, ...period }: EventMap['usage_period_closed']): void {
  const part = tenantPart(state, meta.tenant_id);
  part.usage_periods ??= new Map();
  const known = part.usage_periods.get(period.period);
  part.usage_periods.set(period.period, known ? { ...known, told: known.told || period.told } : period);
}

/** Undefined: the month (`2026-11`) is not closed. */
export function usagePeriodOf(state: ConfigurationState, tenant_id: string, period: string): UsagePeriod | undefined {
  return state.by_tenant.get(tenant_id)?.usage_periods?.get(period);
}
