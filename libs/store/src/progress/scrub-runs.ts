import type { Row, Sql } from '../store.js';

/** A requested comparison of the whole log, and its progress. */
export interface ScrubRun {
  run_id: string;
  /** Also compares the rows of calls and of the arbiter. */
  views: boolean;
  asked_at_ms: number;
  started_at_ms: number | null;
  ended_at_ms: number | null;
  records: number;
  records_total: number;
  /** Rows compared with the fold of the log. */
  rows: number;
  damages: number;
  /** The first damages, each in a sentence. */
  found: string[];
  /** Why it ended before it had compared everything; null: it completed or runs. */
  fault: string | null;
}

/** How long ended runs are kept. */
const KEPT_MS = 7 * 24 * 3_600_000;
const COLUMNS = 'run_id, views, asked_at_ms, started_at_ms, ended_at_ms, records, records_total, rows, damages, found, fault';

type Stored = Row & Omit<ScrubRun, 'found'> & { found: string };

const runOf = (row: Stored): ScrubRun => ({ ...row, found: JSON.parse(row.found) as string[] });

/** Requests a run, which the service that maintains the Merkle trees executes. Returns the open run if that covers the request. */
export async function askForScrub(
  sql: Sql,
  { run_id, views, asked_at_ms }: Pick<ScrubRun, 'run_id' | 'views' | 'asked_at_ms'>,
): Promise<ScrubRun> {
  const open = await openScrub(sql);
  if (open && (open.views || !views)) return open;
  await sql.query({ text: 'DELETE FROM scrub_runs WHERE ended_at_ms < $1', params: [asked_at_ms - KEPT_MS] });
  const text = `INSERT INTO scrub_runs (run_id, views, asked_at_ms) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`;
  const [made] = await sql.query<Stored>({ text, params: [run_id, views, asked_at_ms] });
  return runOf(made as Stored);
}

/** The oldest run that has not ended. */
export async function openScrub(sql: Sql): Promise<ScrubRun | undefined> {
  const text = `SELECT ${COLUMNS} FROM scrub_runs WHERE ended_at_ms IS NULL ORDER BY asked_at_ms, run_id LIMIT 1`;
  const [row] = await sql.query<Stored>({ name: 'scrub_open', text, params: [] });
  return row && runOf(row);
}

export async function readScrub(sql: Sql, run_id: string): Promise<ScrubRun | undefined> {
  const text = `SELECT ${COLUMNS} FROM scrub_runs WHERE run_id = $1::uuid`;
  const [row] = await sql.query<Stored>({ name: 'scrub_read', text, params: [run_id] });
  return row && runOf(row);
}

/** Stores the progress of a run. */
export async function keepScrub(sql: Sql, run: ScrubRun): Promise<void> {
  const { run_id, started_at_ms, ended_at_ms, records, records_total, rows, damages, found, fault } = run;
  await sql.query({
    name: 'scrub_keep',
    text: `UPDATE scrub_runs SET started_at_ms = $2, ended_at_ms = $3, records = $4, records_total = $5, rows = $6, damages = $7, found = $8, fault = $9
           WHERE run_id = $1::uuid`,
    params: [run_id, started_at_ms, ended_at_ms, records, records_total, rows, damages, JSON.stringify(found), fault],
  });
}
