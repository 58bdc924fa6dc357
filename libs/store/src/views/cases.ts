import type { Row, Sql, Statement } from '../store.js';
import { Conditions } from './conditions.js';
import { type Cursor, type Page, pageOf } from './cursor.js';
import type { ViewSet } from './view-set.js';

/** Cases; whether a case awaits approval is read from `calls`. */
export const caseTables: ViewSet = {
  name: 'case',
  version: 3,
  tables: [
    {
      name: 'cases',
      columns: `tenant_id text NOT NULL, case_id text NOT NULL, state text NOT NULL, title text, external_id text, metadata text,
        opened_at_ms int8 NOT NULL, changed_at_ms int8 NOT NULL, source_offset int8 NOT NULL`,
      key: ['tenant_id', 'case_id'],
      indexes: [
        'CREATE INDEX {cases}_by_time ON {cases} (tenant_id, opened_at_ms, case_id)',
        'CREATE INDEX {cases}_by_reference ON {cases} (tenant_id, external_id) WHERE external_id IS NOT NULL',
        'CREATE INDEX {cases}_by_metadata ON {cases} USING gin ((metadata::jsonb) jsonb_path_ops) WHERE metadata IS NOT NULL',
      ],
    },
  ],
};

/** A case; `awaiting_approval` while it is open and one of its calls waits for a vote. */
export interface CaseRow extends Row {
  tenant_id: string;
  case_id: string;
  status: 'open' | 'awaiting_approval' | 'closed';
  title: string | null;
  external_id: string | null;
  /** JSON of an object of texts. */
  metadata: string | null;
  opened_at_ms: number;
  changed_at_ms: number;
}

/** The content of `case_set`. `source_offset`: the newest record of configuration-changed wins. */
export interface CaseWrite {
  tenant_id: string;
  case_id: string;
  state: 'open' | 'closed';
  title: string | null;
  external_id?: string | null;
  metadata_json?: string | null;
  /** Time of the first change in this write; a stored time is kept. */
  opened_at_ms: number;
  changed_at_ms: number;
  source_offset: number;
}

const SELECT = `SELECT * FROM (
    SELECT tenant_id, case_id, title, external_id, metadata, opened_at_ms, changed_at_ms,
           CASE WHEN state = 'closed' THEN 'closed'
                WHEN EXISTS (SELECT 1 FROM calls WHERE calls.tenant_id = cases.tenant_id
                             AND calls.case_id = cases.case_id AND calls.waits_approval) THEN 'awaiting_approval'
                ELSE 'open' END AS status
    FROM cases) AS found`;

export async function readCase(sql: Sql, tenant_id: string, case_id: string): Promise<CaseRow | undefined> {
  const rows = await sql.query<CaseRow>({
    name: 'views_read_case',
    text: `${SELECT} WHERE tenant_id = $1 AND case_id = $2`,
    params: [tenant_id, case_id],
  });
  return rows[0];
}

/** The status of those of the cases that this tenant has. */
export async function caseStatuses(sql: Sql, tenant_id: string, case_ids: readonly string[]): Promise<Map<string, CaseRow['status']>> {
  const rows = await sql.query<Pick<CaseRow, 'case_id' | 'status'> & Row>({
    name: 'views_case_statuses',
    text: `SELECT case_id, status FROM (${SELECT} WHERE tenant_id = $1 AND case_id = ANY($2::text[])) AS wanted`,
    params: [tenant_id, case_ids],
  });
  return new Map(rows.map(({ case_id, status }) => [case_id, status]));
}

export interface CaseQuery {
  tenant_id: string;
  status?: CaseRow['status'];
  external_id?: string;
  /** A case matches if it has all of these entries. */
  metadata?: Readonly<Record<string, string>>;
  /** Range of the opening time: from (inclusive), to (exclusive); epoch ms. */
  from_ms?: number;
  before_ms?: number;
  /** 1 to 500. */
  limit: number;
  after?: Cursor;
}

/** Newest case first. */
export async function listCases(sql: Sql, query: CaseQuery): Promise<Page<CaseRow>> {
  const conditions = new Conditions().equal('tenant_id', query.tenant_id).equal('status', query.status);
  conditions.equal('external_id', query.external_id).holds('metadata', query.metadata);
  if (query.from_ms !== undefined) conditions.add('opened_at_ms >= ?::int8', query.from_ms);
  if (query.before_ms !== undefined) conditions.add('opened_at_ms < ?::int8', query.before_ms);
  if (query.after) conditions.add('(opened_at_ms, case_id) < (?::int8, ?)', query.after.at, query.after.id);
  const limit = conditions.param(query.limit + 1);
  const rows = await sql.query<CaseRow>({
    text: `${SELECT} WHERE ${conditions.where} ORDER BY opened_at_ms DESC, case_id DESC LIMIT ${limit}`,
    params: conditions.params,
  });
  return pageOf(rows, query.limit, (row) => ({ at: row.opened_at_ms, id: row.case_id }));
}

/** At most one row for each case in one statement. The first write of a case opens it; a title is kept if a later write has none. */
export function upsertCases(rows: readonly CaseWrite[]): Statement {
  return {
    name: 'views_upsert_cases',
    text: `INSERT INTO {cases} AS cases (tenant_id, case_id, state, title, opened_at_ms, changed_at_ms, source_offset, external_id, metadata)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::int8[], $7::int8[], $8::text[], $9::text[])
           ON CONFLICT (tenant_id, case_id) DO UPDATE SET state = excluded.state,
             title = COALESCE(excluded.title, cases.title), changed_at_ms = excluded.changed_at_ms,
             external_id = COALESCE(excluded.external_id, cases.external_id), metadata = COALESCE(excluded.metadata, cases.metadata),
             source_offset = excluded.source_offset
           WHERE cases.source_offset < excluded.source_offset`,
    params: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.case_id),
      rows.map((row) => row.state),
      rows.map((row) => row.title),
      rows.map((row) => row.opened_at_ms),
      rows.map((row) => row.changed_at_ms),
      rows.map((row) => row.source_offset),
      rows.map((row) => row.external_id ?? null),
      rows.map((row) => row.metadata_json ?? null),
    ],
  };
}
