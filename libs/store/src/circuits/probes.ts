import { NOW_MS } from '../leases/lease-guard.js';
import type { Sql } from '../store.js';
import type { CircuitKey } from './circuits.js';

/** held: the holder may try the tool, alone. taken: another holder may, or the circuit is not half-open yet. closed: there is nothing to probe. */
export type ProbeAnswer = 'held' | 'taken' | 'closed';

const TAKE = `UPDATE circuits SET probe_by = $4, probe_until_ms = ${NOW_MS} + $5
WHERE tenant_id = $1 AND tool = $2 AND version = $3 AND open_until_ms <= ${NOW_MS}
  AND (probe_by IS NULL OR probe_by = $4 OR probe_until_ms <= ${NOW_MS})
RETURNING probe_by`;
const OPEN = 'SELECT 1 AS open FROM circuits WHERE tenant_id = $1 AND tool = $2 AND version = $3 AND open_until_ms IS NOT NULL';
const RELEASE = `UPDATE circuits SET probe_by = NULL, probe_until_ms = NULL
WHERE tenant_id = $1 AND tool = $2 AND version = $3 AND probe_by = $4`;

/**
 * Takes the lease of the one probe of a half-open circuit, timed by the database's clock. The same holder gets it again, also after a
 * restart. It ends with the next outcome of the tool, or after `lease_ms`.
 */
export async function takeProbe(
  sql: Sql,
  { tenant_id, tool, version }: CircuitKey,
  { holder, lease_ms }: { holder: string; lease_ms: number },
): Promise<ProbeAnswer> {
  const key = [tenant_id, tool, version];
  const taken = await sql.query({ name: 'circuit_probe_take', text: TAKE, params: [...key, holder, lease_ms] });
  if (taken.length > 0) return 'held';
  return (await sql.query({ name: 'circuit_is_open', text: OPEN, params: key })).length > 0 ? 'taken' : 'closed';
}

/** Gives the lease back, if this holder has it: its call was not made. */
export async function releaseProbe(sql: Sql, { tenant_id, tool, version }: CircuitKey, holder: string): Promise<void> {
  await sql.query({ name: 'circuit_probe_release', text: RELEASE, params: [tenant_id, tool, version, holder] });
}
