import type { Sql, Statement, Store } from '../store.js';
import { type ProjectionOffset, projectionPosition, VIEWS } from '../views/projection-position.js';
import { type Build, readBuilds } from './builds.js';

export interface Ownership {
  lane: string;
  partition: number;
  owner_id: string;
}

/** What the group writes: its number changes whenever one build replaces another. */
export interface Plan {
  number: number;
  live: Build[];
}

async function readPlan(sql: Sql): Promise<Plan> {
  const rows = await sql.query<{ plan: number }>({
    text: 'SELECT plan FROM projection_plans WHERE projection = $1 FOR SHARE',
    params: [VIEWS],
  });
  const builds = await readBuilds(sql);
  return { number: rows[0]?.plan ?? 0, live: builds.filter(({ state }) => state === 'live') };
}

/** Takes a partition over: pending writes of its former owner are rolled back (`heldBy`). Resolves with what is folded so far. */
export function takePartition(store: Store, own: Ownership): Promise<{ plan: Plan; offsets: ProjectionOffset[] }> {
  return store.transaction(async (sql: Sql) => {
    const plan = await readPlan(sql);
    await sql.query({
      text: `INSERT INTO projection_owners (projection, lane, partition, owner_id, plan) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (projection, lane, partition) DO UPDATE SET owner_id = excluded.owner_id, plan = excluded.plan`,
      params: [VIEWS, own.lane, own.partition, own.owner_id, plan.number],
    });
    return { plan, offsets: await projectionPosition(sql) };
  });
}

/** The current plan, for an owner whose write was refused; undefined if another process took the partition. */
export function planAgain(store: Store, own: Ownership): Promise<Plan | undefined> {
  return store.transaction(async (sql: Sql) => {
    const plan = await readPlan(sql);
    const rows = await sql.query({
      text: `UPDATE projection_owners SET plan = $5 WHERE projection = $1 AND lane = $2 AND partition = $3 AND owner_id = $4 RETURNING 1`,
      params: [VIEWS, own.lane, own.partition, own.owner_id, plan.number],
    });
    return rows.length === 0 ? undefined : plan;
  });
}

/** SQLSTATE of a write by a process that no longer owns the partition: division by zero, provoked by `heldBy`. */
export const NOT_THE_OWNER = '22012';

/**
 * First statement of a write: fails the whole transaction if another process took the partition or the plan changed, and blocks both
 * until the end.
 */
export function heldBy(own: Ownership, plan: number): Statement {
  return {
    name: 'views_held_by',
    text: `SELECT 1 / count(*) AS held FROM (
             SELECT 1 FROM projection_owners
             WHERE projection = $1 AND lane = $2 AND partition = $3 AND owner_id = $4 AND plan = $5 FOR UPDATE
           ) AS owned`,
    params: [VIEWS, own.lane, own.partition, own.owner_id, plan],
  };
}
