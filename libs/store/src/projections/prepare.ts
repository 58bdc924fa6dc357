import type { Sql } from '../store.js';
import { VIEWS } from '../views/projection-position.js';
import { STATES, viewSets } from '../views/sets.js';
import { builtTable, createTable, indexesOf, type ViewSet } from '../views/view-set.js';
import { analyticsViews } from './analytics-views.js';
import { type Build, type BuildState, readBuilds } from './builds.js';
import { showTables, widen } from './stable-views.js';

const run = (sql: Sql, text: string, params: readonly unknown[] = []) => sql.query({ text, params });

/** Creates the tables of a new build; a replayed build gets its indexes after its rows (`indexBuild`). */
export async function createBuild(
  sql: Sql,
  set: ViewSet,
  state: BuildState,
  before: readonly Build[],
  asked_offset: number | null = null,
): Promise<Build> {
  const used = new Set(before.filter(({ projection }) => projection === set.name).map((build) => build.suffix));
  let suffix = `v${set.version}`;
  for (let n = 2; used.has(suffix); n++) suffix = `v${set.version}b${n}`;
  const build: Build = { projection: set.name, suffix, version: set.version, state, replay: null, asked_offset };
  for (const table of set.tables) {
    for (const text of createTable(table, builtTable(table.name, suffix), { indexes: state === 'live' })) await run(sql, text);
  }
  await run(sql, 'INSERT INTO projection_builds (projection, suffix, version, state, asked_offset) VALUES ($1, $2, $3, $4, $5)', [
    set.name,
    suffix,
    set.version,
    state,
    asked_offset,
  ]);
  return build;
}

/** Runs each command separately, so that others can run in between; existing indexes stay. Also updates the planner's statistics. */
export async function indexBuild(sql: Sql, build: Build, sets: readonly ViewSet[] = viewSets): Promise<void> {
  const tables = sets.find(({ name }) => name === build.projection)?.tables ?? [];
  for (const table of tables) {
    const built = builtTable(table.name, build.suffix);
    for (const text of [...indexesOf(table, built), `ANALYZE ${built}`]) await run(sql, text);
  }
}

/** Drops the tables of a build and keeps the record of the build. */
export async function retire(sql: Sql, build: Build, sets: readonly ViewSet[] = viewSets): Promise<void> {
  const set = sets.find(({ name }) => name === build.projection);
  const names = [...(set?.tables ?? []).map(({ name }) => name), ...(set?.dropped ?? [])];
  for (const name of names) await run(sql, `DROP TABLE IF EXISTS ${builtTable(name, build.suffix)} CASCADE`);
  await run(sql, `UPDATE projection_builds SET state = 'retired' WHERE projection = $1 AND suffix = $2`, [build.projection, build.suffix]);
}

/** Whether the views are not folded yet: then a build may be live from its first row on. */
async function isFresh(sql: Sql): Promise<boolean> {
  const rows = await run(sql, 'SELECT 1 FROM projection_offsets WHERE projection = $1 LIMIT 1', [VIEWS]);
  return rows.length === 0;
}

const unreadable = (live: Build | undefined, set: ViewSet) => live !== undefined && live.version < (set.readable_since ?? 0);

/** Every fold continues from the states of the calls: if they cannot be read, everything is folded again. */
async function startOver(sql: Sql, builds: readonly Build[], sets: readonly ViewSet[]): Promise<void> {
  for (const build of builds) if (build.state !== 'retired') await retire(sql, build, sets);
  await run(sql, 'DELETE FROM projection_offsets');
  await run(sql, 'UPDATE projection_plans SET plan = plan + 1');
}

async function prepareOne(sql: Sql, set: ViewSet, builds: readonly Build[], fresh: boolean, sets: readonly ViewSet[]): Promise<void> {
  const own = builds.filter(({ projection, state }) => projection === set.name && state !== 'retired');
  const live = own.find(({ state }) => state === 'live');
  if (live && live.version >= set.version) return;
  const building = own.find(({ state }) => state === 'building');
  if (building && building.version >= set.version) return;
  if (building) await retire(sql, building, sets);
  const build = await createBuild(sql, set, live || !fresh ? 'building' : 'live', builds);
  if (live && !unreadable(live, set)) return widen(sql, set, live.suffix, build.suffix);
  await showTables(sql, set, build.suffix);
  if (live) {
    await retire(sql, live, sets);
    await run(sql, 'UPDATE projection_plans SET plan = plan + 1');
  }
}

/**
 * Creates what this version of the projections needs: tables in a fresh database, and a build beside the live one if the version has
 * changed. Call it in a transaction that excludes other starts.
 */
export async function prepareViews(sql: Sql, sets: readonly ViewSet[] = viewSets): Promise<void> {
  let builds = await readBuilds(sql);
  const states = sets.find(({ name }) => name === STATES);
  const live = builds.find(({ projection, state }) => projection === STATES && state === 'live');
  if (states && unreadable(live, states)) {
    await startOver(sql, builds, sets);
    builds = await readBuilds(sql);
  }
  const fresh = await isFresh(sql);
  for (const set of sets) await prepareOne(sql, set, builds, fresh, sets);
}

/** The same for an empty database, as a list of commands. */
export function freshViews(sets: readonly ViewSet[] = viewSets): string[] {
  return sets.flatMap((set) => [
    ...set.tables.flatMap((table) => {
      const built = builtTable(table.name, `v${set.version}`);
      return [...createTable(table, built), `CREATE VIEW ${table.name} AS SELECT * FROM ${built}`];
    }),
    ...(analyticsViews[set.name] ?? []),
    `INSERT INTO projection_builds (projection, suffix, version, state) VALUES ('${set.name}', 'v${set.version}', ${set.version}, 'live')`,
  ]);
}
