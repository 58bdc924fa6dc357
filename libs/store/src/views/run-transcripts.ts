import type { Row, Sql, Statement } from '../store.js';
import type { ViewSet } from './view-set.js';

/** Where the transcript of a run is stored. */
export interface RunTranscriptRow extends Row {
  tenant_id: string;
  run_id: string;
  /** Name of the blob. */
  blob: string;
  bytes: number;
  messages: number;
  kept_at_ms: number;
  /** Offset of the record in operator-command: the newest of a run wins. */
  source_offset: number;
}

/** The newest transcript of each run that has one. */
export const runTranscriptTables: ViewSet = {
  name: 'run-transcripts',
  version: 1,
  tables: [
    {
      name: 'run_transcripts',
      columns: `tenant_id text NOT NULL, run_id text NOT NULL, blob text NOT NULL, bytes int8 NOT NULL, messages int4 NOT NULL,
        kept_at_ms int8 NOT NULL, source_offset int8 NOT NULL`,
      key: ['tenant_id', 'run_id'],
      indexes: [],
    },
  ],
};

export async function readRunTranscript(sql: Sql, tenant_id: string, run_id: string): Promise<RunTranscriptRow | undefined> {
  const rows = await sql.query<RunTranscriptRow>({
    name: 'views_read_run_transcript',
    text: 'SELECT * FROM run_transcripts WHERE tenant_id = $1 AND run_id = $2',
    params: [tenant_id, run_id],
  });
  return rows[0];
}

/** At most one row for each run in one statement. */
export function upsertRunTranscripts(rows: readonly RunTranscriptRow[]): Statement {
  return {
    name: 'views_upsert_run_transcripts',
    text: `INSERT INTO {run_transcripts} AS known (tenant_id, run_id, blob, bytes, messages, kept_at_ms, source_offset)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int4[], $6::int8[], $7::int8[])
           ON CONFLICT (tenant_id, run_id) DO UPDATE SET blob = excluded.blob, bytes = excluded.bytes, messages = excluded.messages,
             kept_at_ms = excluded.kept_at_ms, source_offset = excluded.source_offset
           WHERE known.source_offset < excluded.source_offset`,
    params: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.run_id),
      rows.map((row) => row.blob),
      rows.map((row) => row.bytes),
      rows.map((row) => row.messages),
      rows.map((row) => row.kept_at_ms),
      rows.map((row) => row.source_offset),
    ],
  };
}
