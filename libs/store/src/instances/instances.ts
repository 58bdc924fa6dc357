import { NOW_MS } from '../leases/lease-guard.js';
import type { Sql } from '../store.js';
import type { UnhealthyPack } from './unhealthy-packs.js';

/** An instance without a heartbeat for this long does not count as running, ms. */
export const INSTANCE_EXPIRED_MS = 3_000;
const FORGOTTEN_MS = 3_600_000;
/** 1: rejects a configuration change whose base has changed. Earlier versions report nothing, which counts as 0. */
const CONFIGURATION_RULES = 1;
/** Projectors fold cases and exports by the same rules, but no decision, run or sign-in waits for them. */
const WAITED_FOR_BY_NOBODY = 'projector';

/** A running service and how far it has folded the configuration. */
export interface RunningInstance {
  instance_id: string;
  service: string;
  /** Newest folded offset of configuration-changed. */
  config_offset: number;
}

const REPORT = `INSERT INTO configuration_instances (instance_id, service, config_offset, unhealthy_packs, rules, seen_at_ms) VALUES ($1, $2, $3, $4, ${CONFIGURATION_RULES}, ${NOW_MS})
ON CONFLICT (instance_id) DO UPDATE SET config_offset = EXCLUDED.config_offset, unhealthy_packs = EXCLUDED.unhealthy_packs, rules = EXCLUDED.rules, seen_at_ms = EXCLUDED.seen_at_ms`;
const LIVE = `SELECT instance_id, service, config_offset FROM configuration_instances
WHERE seen_at_ms > ${NOW_MS} - $1 AND service <> '${WAITED_FOR_BY_NOBODY}' ORDER BY service, instance_id`;
const OLDER = `SELECT count(*)::int4 AS older FROM configuration_instances WHERE seen_at_ms > ${NOW_MS} - $1 AND rules < ${CONFIGURATION_RULES}`;
const FORGET = `DELETE FROM configuration_instances WHERE instance_id = $1 OR seen_at_ms < ${NOW_MS} - $2`;

/** `packs`: the packs that the instance cannot use. */
export async function reportInstance(
  sql: Sql,
  { instance_id, service, config_offset }: RunningInstance,
  packs: readonly UnhealthyPack[] = [],
): Promise<void> {
  await sql.query({ name: 'instance_report', text: REPORT, params: [instance_id, service, config_offset, JSON.stringify(packs)] });
}

/**
 * Whether every running instance rejects changes whose base has changed. While one does not, instances would fold a change with a base
 * differently.
 */
export async function allRefuseMovedBases(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ older: number }>({ name: 'instance_older', text: OLDER, params: [INSTANCE_EXPIRED_MS] });
  return row?.older === 0;
}

/** The running instances for which a configuration change waits, by service. */
export function runningInstances(sql: Sql): Promise<RunningInstance[]> {
  return sql.query<RunningInstance & Record<string, unknown>>({ name: 'instance_live', text: LIVE, params: [INSTANCE_EXPIRED_MS] });
}

/** Deletes an instance, and all instances without a heartbeat for an hour. */
export async function forgetInstance(sql: Sql, instance_id: string): Promise<void> {
  await sql.query({ name: 'instance_forget', text: FORGET, params: [instance_id, FORGOTTEN_MS] });
}
