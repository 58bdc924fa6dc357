import type { Statement } from '../store.js';
import type { ViewSet } from './view-set.js';

/** A request to rebuild a projection. */
export interface RebuildRequest {
  projection: string;
  /** Offset of the request in configuration-changed. */
  asked_offset: number;
}

/** Has no tables of its own: requests outlive every build (projection_requests). */
export const rebuildRequests: ViewSet = { name: 'rebuild-requests', version: 1, tables: [] };

/** At most one row for each projection in one statement. The newest request wins. */
export function upsertRebuildRequests(rows: readonly RebuildRequest[]): Statement {
  return {
    name: 'views_upsert_rebuild_requests',
    text: `INSERT INTO projection_requests (projection, asked_offset) SELECT * FROM unnest($1::text[], $2::int8[])
           ON CONFLICT (projection) DO UPDATE SET asked_offset = GREATEST(projection_requests.asked_offset, excluded.asked_offset)`,
    params: [rows.map((row) => row.projection), rows.map((row) => row.asked_offset)],
  };
}
