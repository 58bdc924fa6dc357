import type { Row, Sql, Store } from '../store.js';
import { type ProjectionOffset, projectionPosition, VIEWS } from '../views/projection-position.js';
import { viewSets } from '../views/sets.js';
import type { ViewSet } from '../views/view-set.js';
import { readBuilds } from './builds.js';
import { endReplay, heldReplay, type Replay } from './replays.js';
import { showTables } from './stable-views.js';

/** SQLSTATE of a lock that was not to be had at once. */
export const LOCK_NOT_AVAILABLE = '55P03';

const run = <R extends Row>(sql: Sql, text: string, params: readonly unknown[] = []) => sql.query<R>({ text, params });

/** Views for analysts hang on those that are switched: they too are waited for so long at most. */
const DEPENDENT_WAIT_MS = 100;

/**
 * Views are locked together or not at all: a reader that has one and waits for another must not be waited for, or not for
 * long, since all other readers wait behind this then.
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
 * Makes the builds of a replay what readers see, in one transaction, and from the next write on what is written. While
 * it runs nothing is written, so `level` can fold what the replay lacks of what is live, through the given Sql; it
 * answers false where that is too much, and nothing happens. @throws LOCK_NOT_AVAILABLE where a view is being read for
 * longer than `wait_ms` (0: at all): then try again.
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
