import { callId, parseCallId } from '@countersign/contracts';
import type { Row, Sql } from '../store.js';
import type { CallWrite } from './calls.js';
import { VIEWS } from './projection-position.js';
import { readable } from './state-schemas.js';

/** Rows of calls, and how far the log is folded into them, read in one snapshot. */
export interface CheckedCalls {
  /** Version of the rows that readers see; null: none yet. */
  version: number | null;
  /** By topic: the rows contain exactly the records of the partition below the offset. */
  folded: ReadonlyMap<string, number>;
  rows: ReadonlyMap<string, CallWrite>;
}

const SCHEMA_ID_BYTES = 4;

interface Stored extends Row {
  version: number | null;
  folded: string;
  call_uuid: string | null;
}
type StoredCall = Stored & Omit<CallWrite, 'call_id'> & { call_uuid: string; partition: number };

// One statement: rows and offsets are written together, so one snapshot of both is consistent with the log.
const READ = `SELECT o.folded, o.version, c.* FROM
  (SELECT (SELECT version FROM projection_builds WHERE projection = 'call' AND state = 'live') AS version,
    (SELECT coalesce(json_object_agg(topic, next_offset), '{}')::text FROM projection_offsets WHERE projection = $1 AND partition = $2) AS folded) o
  LEFT JOIN (SELECT call_uuid, partition, tenant_id, case_id, run_id, tool, status, waits_approval, requested_at_ms, hlc, state
    FROM calls WHERE partition = $2 AND call_uuid = ANY ($3::uuid[])) c ON true`;

function callOf({ call_uuid, partition, folded: _, version: __, ...row }: StoredCall): CallWrite {
  return { call_id: callId(partition, call_uuid), ...row };
}

/** The rows of these calls of one partition, whatever their tenant. */
export async function readCheckedCalls(sql: Sql, partition: number, call_ids: readonly string[]): Promise<CheckedCalls> {
  const uuids = call_ids.flatMap((call_id) => parseCallId(call_id)?.uuid ?? []);
  const read = await sql.query<Stored>({ name: 'checked_calls', text: READ, params: [VIEWS, partition, uuids] });
  const { version = null, folded = '{}' } = read[0] ?? {};
  const stored = read.filter((row): row is StoredCall => row.call_uuid !== null);
  // The reader judges a state that is too short to name its schema, like any other unreadable state.
  await readable(
    sql,
    stored.filter(({ state }) => state.length >= SCHEMA_ID_BYTES),
  );
  return {
    version,
    folded: new Map(Object.entries(JSON.parse(folded) as Record<string, number>)),
    rows: new Map(stored.map((row) => [callId(row.partition, row.call_uuid), callOf(row)])),
  };
}

/** A call and its request time, as stored in its row. */
export interface PlacedCall {
  call_id: string;
  tenant_id: string;
  requested_at_ms: number;
}

/** Calls of one partition after an id, in id order: for scanning all of them or starting anywhere. */
export async function callsAfter(sql: Sql, partition: number, after_uuid: string, limit: number): Promise<PlacedCall[]> {
  const rows = await sql.query<{ call_uuid: string; tenant_id: string; requested_at_ms: number }>({
    name: 'checked_calls_after',
    text: `SELECT call_uuid, tenant_id, requested_at_ms FROM calls
           WHERE (call_uuid, partition) > ($1::uuid, $2::int2) AND partition = $2 AND requested_at_ms > 0 ORDER BY call_uuid, partition LIMIT $3`,
    params: [after_uuid, partition, limit],
  });
  return rows.map(({ call_uuid, ...row }) => ({ call_id: callId(partition, call_uuid), ...row }));
}
