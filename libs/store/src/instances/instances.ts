import { NOW_MS } from '../leases/lease-guard.js';
import type { Sql } from '../store.js';

/** An instance that has not been heard from for so long does not count as running, ms. */
const INSTANCE_GONE_MS = 3_000;
const FORGOTTEN_MS = 3_600_000;

/** A running service and how much of the configuration it has. */
export interface RunningInstance {
  instance_id: string;
  service: string;
  /** Newest offset of configuration-changed that it has folded. */
  config_offset: number;
}

const REPORT = `INSERT INTO configuration_instances (instance_id, service, config_offset, seen_at_ms) VALUES ($1, $2, $3, ${NOW_MS})
ON CONFLICT (instance_id) DO UPDATE SET config_offset = EXCLUDED.config_offset, seen_at_ms = EXCLUDED.seen_at_ms`;
const LIVE = `SELECT instance_id, service, config_offset FROM configuration_instances
WHERE seen_at_ms > ${NOW_MS} - $1 ORDER BY service, instance_id`;
const FORGET = `DELETE FROM configuration_instances WHERE instance_id = $1 OR seen_at_ms < ${NOW_MS} - $2`;

export async function reportInstance(sql: Sql, { instance_id, service, config_offset }: RunningInstance): Promise<void> {
  await sql.query({ name: 'instance_report', text: REPORT, params: [instance_id, service, config_offset] });
}

/** The instances that run, by service. */
export function runningInstances(sql: Sql): Promise<RunningInstance[]> {
  return sql.query<RunningInstance & Record<string, unknown>>({ name: 'instance_live', text: LIVE, params: [INSTANCE_GONE_MS] });
}

/** Takes an instance off the list, and those that nobody has heard from for an hour. */
export async function forgetInstance(sql: Sql, instance_id: string): Promise<void> {
  await sql.query({ name: 'instance_forget', text: FORGET, params: [instance_id, FORGOTTEN_MS] });
}
