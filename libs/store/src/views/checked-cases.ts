import type { Row, Sql } from '../store.js';
import { VIEWS } from './projection-position.js';

/** Identifies a case across tenants. */
export interface CaseKey {
  tenant_id: string;
  case_id: string;
}

/** The stored columns of a case. */
export interface StoredCase extends Row, CaseKey {
  state: string;
  title: string | null;
  external_id: string | null;
  /** JSON of an object of texts. */
  metadata: string | null;
  opened_at_ms: number;
  changed_at_ms: number;
  /** Offset of the newest folded record in `configuration-changed`. */
  source_offset: number;
}

/** Rows of cases, and how far `configuration-changed` is folded into them, read in one snapshot. */
export interface CheckedCases {
  /** Version of the rows that readers see; null: none yet. */
  version: number | null;
  /** The rows contain exactly the records below this offset. */
  folded: number;
  rows: readonly StoredCase[];
}

const COLUMNS = 'tenant_id, case_id, state, title, external_id, metadata, opened_at_ms, changed_at_ms, source_offset';
// One statement: rows and offset are written together, so one snapshot of both is consistent with the log.
const POSITION = `(SELECT (SELECT version FROM projection_builds WHERE projection = 'case' AND state = 'live') AS version,
    coalesce((SELECT next_offset FROM projection_offsets WHERE projection = $1 AND topic = 'configuration-changed' AND partition = 0), 0) AS folded) AS position`;

type Read = StoredCase & { version: number | null; folded: number };

function checkedCases(read: readonly Read[]): CheckedCases {
  const { version = null, folded = 0 } = read[0] ?? {};
  const rows = read.filter(({ case_id }) => case_id !== null).map(({ version: _, folded: __, ...row }) => row as StoredCase);
  return { version, folded, rows };
}

/** The rows of these cases. */
export async function readCheckedCases(sql: Sql, keys: readonly CaseKey[]): Promise<CheckedCases> {
  const text = `SELECT position.*, found.* FROM ${POSITION} LEFT JOIN
    (SELECT ${COLUMNS} FROM cases WHERE (tenant_id, case_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))) AS found ON true`;
  const params = [VIEWS, keys.map(({ tenant_id }) => tenant_id), keys.map(({ case_id }) => case_id)];
  return checkedCases(await sql.query<Read>({ name: 'checked_cases', text, params }));
}

/** Cases of all tenants after a key, in key order. */
export async function casesAfter(sql: Sql, { tenant_id, case_id }: CaseKey, limit: number): Promise<CheckedCases> {
  const text = `SELECT position.*, found.* FROM ${POSITION} LEFT JOIN
    (SELECT ${COLUMNS} FROM cases WHERE (tenant_id, case_id) > ($2, $3) ORDER BY tenant_id, case_id LIMIT $4) AS found ON true`;
  return checkedCases(await sql.query<Read>({ name: 'checked_cases_after', text, params: [VIEWS, tenant_id, case_id, limit] }));
}
