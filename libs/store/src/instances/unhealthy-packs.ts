import { NOW_MS } from '../leases/lease-guard.js';
import type { Sql } from '../store.js';
import { INSTANCE_EXPIRED_MS } from './instances.js';

/** A pack that an executor currently cannot use. */
export interface UnhealthyPack {
  pack: string;
  /** Bounded text; may originate in the pack itself. */
  reason: string;
}

const PACKS_MAX = 100;
const UNHEALTHY = `SELECT unhealthy_packs FROM configuration_instances
WHERE seen_at_ms > ${NOW_MS} - $1 AND unhealthy_packs <> '[]' ORDER BY instance_id LIMIT ${PACKS_MAX}`;

/** The packs that at least one running executor cannot use, each once, by name. */
export async function unhealthyPacks(sql: Sql): Promise<UnhealthyPack[]> {
  const rows = await sql.query<{ unhealthy_packs: string }>({ name: 'unhealthy_packs', text: UNHEALTHY, params: [INSTANCE_EXPIRED_MS] });
  const packs = rows.flatMap(({ unhealthy_packs }) => JSON.parse(unhealthy_packs) as UnhealthyPack[]);
  const named = new Map(packs.map((one) => [one.pack, one]));
  return [...named.values()].sort((a, b) => (a.pack < b.pack ? -1 : 1)).slice(0, PACKS_MAX);
}
