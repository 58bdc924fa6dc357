import type { Row, Sql } from '../store.js';
import { builtTable, type ViewSet } from '../views/view-set.js';
import { BoundTables } from './bound-tables.js';

/**
 * `live`: what readers see, written by the group. `building`: replayed beside it. `scratch`: call states of a replay.
 * `replaced`: another took its place, its tables are to be dropped. `retired`: they are dropped.
 */
export type BuildState = 'live' | 'building' | 'scratch' | 'replaced' | 'retired';

/** One set of tables of a projection, folded by one version of it. */
export interface Build extends Row {
  projection: string;
  suffix: string;
  version: number;
  state: BuildState;
  /** The replay that it is part of; its offsets stand in projection_offsets under this name. Null before it began. */
  replay: string | null;
  /** Newest request for a rebuild that this build answers: its offset in configuration-changed. Null: none yet. */
  asked_offset: number | null;
}

/** Every build there is or was, oldest first. */
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
