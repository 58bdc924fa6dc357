import { type Counter, callsLeft } from '@countersign/domain';
import { demandsOf, type Limit, type LimitedCall } from '@countersign/policy';
import { countersOf, type Sql } from '@countersign/store';

/**
 * How many calls like this one the tenant's rate limits allow now; null if none limits it. Reserves nothing: policy decides on the call.
 * No SQL without a rate limit. Null too if a limit cannot count the call: policy then says why. @throws InfrastructureFault
 */
export async function rateBudget(sql: Sql, limits: readonly Limit[], on: LimitedCall): Promise<number | null> {
  const demands = demandsOf(
    limits.filter(({ kind }) => kind === 'rate'),
    on,
  );
  if ('rule' in demands) return null;
  const rates = demands.filter(({ window_ms }) => window_ms !== null);
  if (rates.length === 0) return null;
  const rows = await countersOf(
    sql,
    rates.map(({ counter }) => counter),
  );
  const counters = new Map(rows.map(({ key, slots }) => [key, { slots: JSON.parse(slots) as Counter['slots'] }]));
  return callsLeft(rates, counters, on.at_ms);
}
