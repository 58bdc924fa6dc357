import type { Row, Store } from '../store.js';
import { EXECUTION_COLUMNS, type ExecutionRow } from './execution-row.js';
import { restore } from './restore.js';

const ROWS_AT_ONCE = 2000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** A row as a line tells it; lines from before resources were kept name none. */
function rowOf(line: string): ExecutionRow {
  const row = JSON.parse(line) as Omit<ExecutionRow, 'resources'> & { resources?: string | null };
  return { ...row, resources: row.resources ?? null };
}

/** Where a snapshot is kept. */
export interface SnapshotPlace {
  /** Durable, whole or as it was before, when it resolves. */
  write(pieces: AsyncIterable<string>): Promise<void>;
  /** The pieces of the newest; none where there is none. */
  read(): AsyncIterable<string>;
}

/**
 * Idempotency keys beside a log that no longer tells of all of them: where the database is empty they are put back before
 * anything is claimed, so that nothing fires again because its record was dropped.
 */
export class KeySnapshot {
  constructor(
    private readonly store: Store,
    private readonly place: SnapshotPlace,
  ) {}

  /** @returns how many keys it holds */
  async save(): Promise<number> {
    const counted = { rows: 0 };
    await this.place.write(this.pieces(counted));
    return counted.rows;
  }

  /** Harmless where the rows are there. @returns how many keys were in it */
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

  /** NDJSON, a few thousand rows each. */
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
