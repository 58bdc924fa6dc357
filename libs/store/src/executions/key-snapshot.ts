import { createReadStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Row, Store } from '../store.js';
import { EXECUTION_COLUMNS, type ExecutionRow } from './execution-row.js';
import { restore } from './restore.js';

const ROWS_AT_ONCE = 2000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Idempotency keys beside a log that no longer tells of all of them: where the database is empty they are put back before
 * anything is claimed, so that nothing fires again because its record was dropped.
 */
export class KeySnapshot {
  constructor(
    private readonly store: Store,
    private readonly file: string,
  ) {}

  /** Durable, whole or as it was before, when it resolves. @returns how many keys it holds */
  async save(): Promise<number> {
    const handle = await open(`${this.file}.new`, 'w', 0o600);
    let count = 0;
    try {
      for (let after = { key: FIRST, attempt: 0 }; ; ) {
        const rows = await this.page(after);
        for (const row of rows) await handle.write(`${JSON.stringify(row)}\n`);
        count += rows.length;
        const last = rows.at(-1);
        if (!last || rows.length < ROWS_AT_ONCE) break;
        after = last;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${this.file}.new`, this.file);
    const folder = await open(dirname(this.file), 'r');
    await folder.sync();
    await folder.close();
    return count;
  }

  /** Harmless where the rows are there. @returns how many keys were in it */
  async restore(): Promise<number> {
    let rows: ExecutionRow[] = [];
    let count = 0;
    const put = async () => {
      await restore(this.store, rows);
      count += rows.length;
      rows = [];
    };
    try {
      for await (const line of createInterface({ input: createReadStream(this.file, 'utf8') })) {
        if (line !== '') rows.push(JSON.parse(line) as ExecutionRow);
        if (rows.length === ROWS_AT_ONCE) await put();
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return 0;
      throw cause;
    }
    await put();
    return count;
  }

  private page({ key, attempt }: Pick<ExecutionRow, 'key' | 'attempt'>): Promise<(ExecutionRow & Row)[]> {
    const text = `SELECT ${EXECUTION_COLUMNS} FROM tool_executions t WHERE (t.key, t.attempt) > ($1::uuid, $2::int2) ORDER BY t.key, t.attempt LIMIT ${ROWS_AT_ONCE}`;
    return this.store.query({ text, params: [key, attempt] });
  }
}
