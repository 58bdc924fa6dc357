import type { Row, Sql, Statement, Store } from '../store.js';
import { VIEWS } from '../views/projection-position.js';
import { STATES, viewSets } from '../views/sets.js';
import type { ViewSet } from '../views/view-set.js';
import { type Build, readBuilds } from './builds.js';
import { createBuild, retire } from './prepare.js';

const LEASE_MS = 15_000;
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::int8';
const run = <R extends Row>(sql: Sql, text: string, params: readonly unknown[] = []) => sql.query<R>({ text, params });

/** Builds that are folded together from the start of the log, beside the live builds. */
export interface Replay {
  /** Identifies the replay and its offsets. */
  replay: string;
  builds: Build[];
  /** The build whose rows hold the states of the calls: one of the builds, or a separate scratch build. */
  states: Build;
}

const locked = (sql: Sql) => run<{ plan: number }>(sql, 'SELECT plan FROM projection_plans WHERE projection = $1 FOR UPDATE', [VIEWS]);

/**
 * Requests from before the tables were created need no rebuild: the tables already hold its result.
 * @param head offset after the newest record of configuration-changed
 */
export async function settleRequests(sql: Sql, head: number): Promise<void> {
  await run(sql, 'UPDATE projection_builds SET asked_offset = $1 WHERE asked_offset IS NULL', [head - 1]);
}

/** Whether a rebuild is requested or running, or tables must be dropped: one cheap query. */
export async function hasRebuildWork(sql: Sql): Promise<boolean> {
  const rows = await sql.query<{ found: boolean }>({
    name: 'projections_has_work',
    text: `SELECT EXISTS (SELECT 1 FROM projection_builds WHERE state IN ('building', 'replaced', 'scratch'))
             OR EXISTS (SELECT 1 FROM projection_requests r WHERE r.asked_offset > COALESCE(
               (SELECT max(b.asked_offset) FROM projection_builds b WHERE b.projection = r.projection AND b.state = 'live'), -1)) AS found`,
    params: [],
  });
  return rows[0]?.found === true;
}

/** Creates a build for every rebuild request that has none. */
export function answerRequests(store: Store, sets: readonly ViewSet[] = viewSets): Promise<void> {
  return store.transaction(async (sql) => {
    await locked(sql);
    const builds = await readBuilds(sql);
    const requests = await run<{ projection: string; asked_offset: number }>(
      sql,
      'SELECT projection, asked_offset FROM projection_requests',
    );
    for (const { projection, asked_offset } of requests) {
      const set = sets.find(({ name }) => name === projection);
      const own = builds.filter((build) => build.projection === projection && (build.state === 'live' || build.state === 'building'));
      const answered = own.some((build) => build.asked_offset !== null && build.asked_offset >= asked_offset);
      if (!set || answered || own.some(({ state }) => state === 'building')) continue;
      if (own.some(({ version }) => version > set.version)) continue;
      await createBuild(sql, set, 'building', builds, asked_offset);
    }
  });
}

async function buildsOf(sql: Sql, replay: string): Promise<{ wanted: Build[]; scratch: Build | undefined }> {
  const own = (await readBuilds(sql)).filter((build) => build.replay === replay);
  return { wanted: own.filter(({ state }) => state === 'building'), scratch: own.find(({ state }) => state === 'scratch') };
}

async function begin(sql: Sql, worker_id: string, builds: readonly Build[], sets: readonly ViewSet[]): Promise<Replay | undefined> {
  const fitting = builds.filter(
    ({ projection, version, state, replay }) =>
      state === 'building' && replay === null && sets.some((set) => set.name === projection && set.version === version),
  );
  if (fitting.length === 0) return undefined;
  const counted = await run<{ n: number }>(sql, 'SELECT count(*)::int4 AS n FROM projection_replays');
  const replay = `replay-${(counted[0]?.n ?? 0) + 1}`;
  const set = sets.find(({ name }) => name === STATES) as ViewSet;
  const own = fitting.find(({ projection }) => projection === STATES);
  const states = own ?? (await createBuild(sql, set, 'scratch', builds));
  for (const { projection, suffix } of own ? fitting : [...fitting, states]) {
    await run(sql, 'UPDATE projection_builds SET replay = $3 WHERE projection = $1 AND suffix = $2', [projection, suffix, replay]);
  }
  await run(
    sql,
    `INSERT INTO projection_replays (replay, worker_id, worker_until_ms, started_at_ms) VALUES ($1, $2, ${NOW} + ${LEASE_MS}, ${NOW})`,
    [replay, worker_id],
  );
  return { replay, builds: fitting.map((build) => ({ ...build, replay })), states };
}

/**
 * The replay that this worker must do: one without a worker, or a new one of the waiting builds. Undefined if there is none, or if its
 * builds have another version than these sets.
 */
export function claimReplay(store: Store, worker_id: string, sets: readonly ViewSet[] = viewSets): Promise<Replay | undefined> {
  return store.transaction(async (sql) => {
    await locked(sql);
    const open = await run<{ replay: string }>(sql, 'SELECT replay FROM projection_replays WHERE ended_at_ms IS NULL');
    for (const { replay } of open) {
      const { wanted, scratch } = await buildsOf(sql, replay);
      if (wanted.length === 0) {
        await endReplay(sql, replay);
        continue;
      }
      if (!wanted.every(({ projection, version }) => sets.some((set) => set.name === projection && set.version === version)))
        return undefined;
      const mine = await run(
        sql,
        `UPDATE projection_replays SET worker_id = $2, worker_until_ms = ${NOW} + ${LEASE_MS}
         WHERE replay = $1 AND (worker_id = $2 OR worker_until_ms < ${NOW}) RETURNING 1`,
        [replay, worker_id],
      );
      const states = scratch ?? (wanted.find(({ projection }) => projection === STATES) as Build);
      return mine.length === 0 ? undefined : { replay, builds: wanted, states };
    }
    return begin(sql, worker_id, await readBuilds(sql), sets);
  });
}

/** First statement of a replay's write: fails if another worker runs the replay, and extends the lease. */
export function heldReplay(replay: string, worker_id: string): Statement {
  return {
    name: 'projections_held_replay',
    text: `WITH held AS (UPDATE projection_replays SET worker_until_ms = ${NOW} + ${LEASE_MS}
                         WHERE replay = $1 AND worker_id = $2 AND ended_at_ms IS NULL RETURNING 1)
           SELECT 1 / count(*) AS held FROM held`,
    params: [replay, worker_id],
  };
}

export async function endReplay(sql: Sql, replay: string): Promise<void> {
  await run(sql, `UPDATE projection_replays SET ended_at_ms = ${NOW} WHERE replay = $1`, [replay]);
  await run(sql, 'DELETE FROM projection_offsets WHERE projection = $1', [replay]);
}

/** Drops the tables that have no readers: replaced tables, and the scratch tables of ended replays. */
export async function dropReplaced(store: Store, sets: readonly ViewSet[] = viewSets): Promise<void> {
  const ended = await run<{ replay: string }>(store, 'SELECT replay FROM projection_replays WHERE ended_at_ms IS NOT NULL');
  const over = new Set(ended.map(({ replay }) => replay));
  const unused = (build: Build) =>
    build.state === 'replaced' || (build.state === 'scratch' && build.replay !== null && over.has(build.replay));
  for (const build of (await readBuilds(store)).filter(unused)) await store.transaction((sql) => retire(sql, build, sets));
}
