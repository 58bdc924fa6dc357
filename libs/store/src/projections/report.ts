import type { Row, Sql } from '../store.js';
import { VIEWS } from '../views/projection-position.js';
import { viewSets } from '../views/sets.js';
import type { ViewSet } from '../views/view-set.js';
import { readBuilds } from './builds.js';
import { type TableDigest, tableDigest } from './digest.js';

/** State of one projection. */
export interface ProjectionReport {
  name: string;
  /** Version of the running code. */
  version: number;
  tables: string[];
  /** What readers see; null if nothing is readable yet. */
  live: { version: number; build: string; asked_offset: number | null } | null;
  /** The build that is folded beside it: `records` of `records_total` so far, both 0 before the replay starts. */
  building: {
    version: number;
    build: string;
    asked_offset: number | null;
    records: number;
    records_total: number;
    started_at_ms: number | null;
  } | null;
}

interface Progress extends Row {
  replay: string;
  started_at_ms: number;
  records: number;
  records_total: number;
}

function progressOf(sql: Sql): Promise<Progress[]> {
  return sql.query<Progress>({
    name: 'projections_progress',
    text: `SELECT r.replay, r.started_at_ms,
             COALESCE((SELECT sum(next_offset) FROM projection_offsets o WHERE o.projection = r.replay), 0)::int8 AS records,
             COALESCE((SELECT sum(next_offset) FROM projection_offsets o WHERE o.projection = $1), 0)::int8 AS records_total
           FROM projection_replays r WHERE ended_at_ms IS NULL`,
    params: [VIEWS],
  });
}

/** Every projection, by name. */
export async function projectionReports(sql: Sql, sets: readonly ViewSet[] = viewSets): Promise<ProjectionReport[]> {
  const builds = await readBuilds(sql);
  const progress = await progressOf(sql);
  const reports = sets.map(({ name, version, tables }): ProjectionReport => {
    const own = builds.filter(({ projection }) => projection === name);
    const live = own.find(({ state }) => state === 'live');
    const building = own.find(({ state }) => state === 'building');
    const begun = progress.find(({ replay }) => replay === building?.replay);
    return {
      name,
      version,
      tables: tables.map((table) => table.name),
      live: live ? { version: live.version, build: live.suffix, asked_offset: live.asked_offset } : null,
      building: building
        ? {
            version: building.version,
            build: building.suffix,
            asked_offset: building.asked_offset,
            records: begun?.records ?? 0,
            records_total: begun?.records_total ?? 0,
            started_at_ms: begun?.started_at_ms ?? null,
          }
        : null,
    };
  });
  return reports.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What readers see of a projection, as one digest for each table; undefined if there is no projection of this name. */
export async function projectionDigests(sql: Sql, name: string, sets: readonly ViewSet[] = viewSets): Promise<TableDigest[] | undefined> {
  const set = sets.find((each) => each.name === name);
  if (!set) return undefined;
  const digests: TableDigest[] = [];
  for (const table of set.tables) digests.push(await tableDigest(sql, table.name, table.key));
  return digests;
}
