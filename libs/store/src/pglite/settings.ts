/**
 * PGlite is one single-user session without background processes. Little memory. WAL that replays in seconds after a kill, with full
 * pages, since a kill may tear a page between its two halves. Index plans, since every statement of the store joins a batch with a table
 * by its key, and default plans degraded without autovacuum. Generic plans avoid planning a named statement again for each batch: a third
 * of the cost of a small one.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '32MB',
  work_mem: '4MB',
  maintenance_work_mem: '16MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '128MB',
  full_page_writes: 'on',
  autovacuum: 'off',
  default_statistics_target: '20',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  random_page_cost: '1',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
};

/** PGlite's default start parameters and the settings above. */
export function startParams(defaults: readonly string[]): string[] {
  return [...defaults, ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
