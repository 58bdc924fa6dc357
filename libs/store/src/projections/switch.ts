import type { Row, Sql, Store } from '../store.js';
import { type ProjectionOffset, projectionPosition, VIEWS } from '../views/projection-position.js';
import { viewSets } from '../views/sets.js';
import type { ViewSet } from '../views/view-set.js';
import { readBuilds } from './builds.js';
import { endReplay, heldReplay, type Replay } from './replays.js';
import { showTables } from './stable-views.js';

/** SQLSTATE of a lock that was not available at once. */
export const LOCK_NOT_AVAILABLE = '55P03';

const run = <R extends Row>(sql: Sql, text: string, params: readonly unknown[] = []) => sql.query<R>({ text, params });

/** Analytics views depend on the views that are switched: the switch waits at most this long for their locks too. */
const DEPENDENT_WAIT_MS = 100;

/**
 * Locks all views or none: waiting for a reader that holds one view and waits for another must be short or not happen, since all other
 * readers queue behind this lock.
 */
async function lockViews(sql: Sql, names: readonly string[], wait_ms: number): Promise<void> {
  await run(sql, `SET LOCAL lock_timeout = ${Math.max(wait_ms, DEPENDENT_WAIT_MS)}`);
  if (names.length > 0) await run(sql, `LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE ${wait_ms > 0 ? '' : 'NOWAIT'}`);
}

async function show(sql: Sql, { replay, builds }: Replay, wait_ms: number, sets: readonly ViewSet[]): Promise<void> {
  const shown = builds.map((build) => ({ build, set: sets.find(({ name }) => name === build.projection) as ViewSet }));
  await lockViews(
    sql,
    shown.flatMap(({ set }) => set.tables.map(({ name }) => name)),
    wait_ms,
  );
  const before = await readBuilds(sql);
  for (const { build, set } of shown) {
    for (const old of before.filter(({ projection, state }) => projection === build.projection && state === 'live')) {
      await run(sql, `UPDATE projection_builds SET state = 'replaced' WHERE projection = $1 AND suffix = $2`, [old.projection, old.suffix]);
    }
    await showTables(sql, set, build.suffix);
    await run(sql, `UPDATE projection_builds SET state = 'live' WHERE projection = $1 AND suffix = $2`, [build.projection, build.suffix]);
  }
  await endReplay(sql, replay);
}

/**
 * Makes the builds of a replay visible to readers, in one transaction, and the target of writes from the next write on. No writes run
 * meanwhile, so `level` can fold the difference between the replay and the live builds through the given Sql; it returns false if the
 * difference is too large, and nothing changes. @throws LOCK_NOT_AVAILABLE if a view is being read for longer than `wait_ms` (0: being
 * read at all): try again.
 */
export async function switchBuilds(
  store: Store,
  replay: Replay,
  worker_id: string,
  level: (sql: Sql, live: readonly ProjectionOffset[]) => Promise<boolean>,
  wait_ms = 0,
  sets: readonly ViewSet[] = viewSets,
): Promise<boolean> {
  return await store.transaction(async (sql) => {
    await run(sql, 'SELECT plan FROM projection_plans WHERE projection = $1 FOR UPDATE', [VIEWS]);
    await run(sql, 'SELECT 1 FROM projection_owners WHERE projection = $1 ORDER BY lane, partition FOR UPDATE', [VIEWS]);
    await sql.query(heldReplay(replay.replay, worker_id));
    if (!(await level(sql, await projectionPosition(sql)))) return false;
    await show(sql, replay, wait_ms, sets);
    await run(sql, 'UPDATE projection_plans SET plan = plan + 1 WHERE projection = $1', [VIEWS]);
    await run(sql, `UPDATE projection_owners SET plan = (SELECT plan FROM projection_plans WHERE projection = $1) WHERE projection = $1`, [
      VIEWS,
    ]);
    return true;
  });
}
