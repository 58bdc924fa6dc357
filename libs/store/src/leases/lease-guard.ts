/** The database's clock in epoch ms. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::int8';

/**
 * CTE `lease`: the row of epoch $1 while it is neither fenced nor expired, else nothing. FOR SHARE serializes this statement with a
 * fencing statement, so that a fenced epoch changes nothing in any interleaving.
 */
export const LEASE = `lease AS MATERIALIZED (
  SELECT epoch, lane FROM executor_leases WHERE epoch = $1 AND NOT fenced AND lease_until_ms > ${NOW_MS} FOR SHARE)`;
