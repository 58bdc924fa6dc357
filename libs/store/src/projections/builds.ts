import type { Row, Sql } from '../store.js';
import { builtTable, type ViewSet } from '../views/view-set.js';
import { BoundTables } from './bound-tables.js';

/**
 * `live`: readers see it and the group writes it. `building`: replayed beside the live build. `scratch`: call states of a replay.
 * `replaced`: another build took its place and its tables are to be dropped. `retired`: its tables are dropped.
 */
export type BuildState = 'live' | 'building' | 'scratch' | 'replaced' | 'retired';

/** One set of tables of a projection, folded by one version of its code. */
export interface Build extends Row {
  projection: string;
  suffix: string;
  version: number;
  state: BuildState;
  /** The replay that folds it; projection_offsets has its offsets under this name. Null before the replay started. */
  replay: string | null;
  /** Newest rebuild request that this build fulfils: its offset in configuration-changed. Null: none yet. */
  asked_offset: number | null;
}

/** All present and former builds, oldest first. */
export function readBuilds(sql: Sql): Promise<Build[]> {
  return sql.query<Build>({
    name: 'projections_builds',
    text: 'SELECT projection, suffix, version, state, replay, asked_offset FROM projection_builds ORDER BY number',
    params: [],
  });
}

/** The tables of these builds. */
export function tablesOf(builds: readonly Build[], sets: readonly ViewSet[]): BoundTables {
  const relations = new Map<string, string>();
  for (const { projection, suffix } of builds) {
    for (const table of sets.find(({ name }) => name === projection)?.tables ?? [])
      relations.set(table.name, builtTable(table.name, suffix));
  }
  return new BoundTables(relations);
}
