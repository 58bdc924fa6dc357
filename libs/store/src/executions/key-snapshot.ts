import type { Row, Store } from '../store.js';
import { EXECUTION_COLUMNS, type ExecutionRow } from './execution-row.js';
import { restore } from './restore.js';

const ROWS_AT_ONCE = 2000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** Parses a row of a snapshot. Lines written before resources existed name none. */
function rowOf(line: string): ExecutionRow {
  const row = JSON.parse(line) as Omit<ExecutionRow, 'resources'> & { resources?: string | null };
  return { ...row, resources: row.resources ?? null };
}

/** Storage of a snapshot. */
export interface SnapshotPlace {
  /** Resolves when the snapshot is durable. A failed write leaves the previous snapshot. */
  write(pieces: AsyncIterable<string>): Promise<void>;
  /** The pieces of the newest snapshot; empty if there is none. */
  read(): AsyncIterable<string>;
}

/**
 * Idempotency keys stored outside of a log that no longer holds all of them. They are restored into an empty database before anything is
 * claimed, so that a call whose record was dropped does not run again.
 */
export class KeySnapshot {
  constructor(
    private readonly store: Store,
    private readonly place: SnapshotPlace,
  ) {}

  /** @returns the number of saved keys */
  async save(): Promise<number> {
    const counted = { rows: 0 };
    await this.place.write(this.pieces(counted));
    return counted.rows;
  }

  /** Does nothing for rows that exist. @returns the number of keys in the snapshot */
  async restore(): Promise<number> {
    let count = 0;
    for await (const piece of this.place.read()) {
      const rows = piece
        .split('\n')
        .filter((line) => line !== '')
        .map(rowOf);
      if (rows.length > 0) await restore(this.store, rows);
      count += rows.length;
    }
    return count;
  }

  /** NDJSON; each piece has a few thousand rows. */
  private async *pieces(counted: { rows: number }): AsyncGenerator<string> {
    for (let after = { key: FIRST, attempt: 0 }; ; ) {
      const rows = await this.page(after);
      const last = rows.at(-1);
      if (!last) return;
      counted.rows += rows.length;
      yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      if (rows.length < ROWS_AT_ONCE) return;
      after = last;
    }
  }

  private page({ key, attempt }: Pick<ExecutionRow, 'key' | 'attempt'>): Promise<(ExecutionRow & Row)[]> {
    const text = `SELECT ${EXECUTION_COLUMNS} FROM tool_executions t WHERE (t.key, t.attempt) > ($1::uuid, $2::int2) ORDER BY t.key, t.attempt LIMIT ${ROWS_AT_ONCE}`;
    return this.store.query({ text, params: [key, attempt] });
  }
}
