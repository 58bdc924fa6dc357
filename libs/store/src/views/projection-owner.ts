import type { Sql, Statement, Store } from '../store.js';
import { type ProjectionOffset, projectionPosition, VIEWS } from './projection-position.js';
import { viewTableNames } from './tables.js';

/**
 * Makes the tables those of this version of the folds: of an older one they are emptied, to be refolded from the log.
 * @returns false where they belong to a newer version, which must not be undone.
 */
export function claimVersion(store: Store, version: number, projection: string = VIEWS): Promise<boolean> {
  return store.transaction(async (sql) => {
    await sql.query({
      text: 'INSERT INTO projection_versions (projection, version) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      params: [projection, version],
    });
    const rows = await sql.query<{ version: number }>({
      text: 'SELECT version FROM projection_versions WHERE projection = $1 FOR UPDATE',
      params: [projection],
    });
    const stored = rows[0]?.version ?? version;
    if (stored < version) {
      await sql.query({ text: `TRUNCATE ${viewTableNames.join(', ')}`, params: [] });
      await sql.query({ text: 'UPDATE projection_versions SET version = $2 WHERE projection = $1', params: [projection, version] });
    }
    return stored <= version;
  });
}

export interface Ownership {
  lane: string;
  partition: number;
  owner_id: string;
}

/** Takes a partition over: whatever its former owner still writes is rolled back (`heldBy`). Resolves with what was folded so far. */
export function takePartition(store: Store, own: Ownership, projection: string = VIEWS): Promise<ProjectionOffset[]> {
  return store.transaction(async (sql: Sql) => {
    await sql.query({
      text: `INSERT INTO projection_owners (projection, lane, partition, owner_id) VALUES ($1, $2, $3, $4)
             ON CONFLICT (projection, lane, partition) DO UPDATE SET owner_id = excluded.owner_id`,
      params: [projection, own.lane, own.partition, own.owner_id],
    });
    return projectionPosition(sql, projection);
  });
}

/** SQLSTATE of a write by somebody who does not own the partition any more: division by zero, provoked by `heldBy`. */
export const NOT_THE_OWNER = '22012';

/** First statement of a write: fails the whole transaction where another took the partition, and holds it off until the end. */
export function heldBy(own: Ownership, projection: string = VIEWS): Statement {
  return {
    name: 'views_held_by',
    text: `SELECT 1 / count(*) AS held FROM (
             SELECT 1 FROM projection_owners WHERE projection = $1 AND lane = $2 AND partition = $3 AND owner_id = $4 FOR UPDATE
           ) AS owned`,
    params: [projection, own.lane, own.partition, own.owner_id],
  };
}
