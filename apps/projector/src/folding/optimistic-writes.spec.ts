import type { Row, Statement } from '@countersign/store';
import { expect, test } from 'vitest';
import { OptimisticWrites } from './optimistic-writes.js';

const statement: Statement = {
  name: 'insert_a',
  text: 'INSERT INTO a (n) SELECT * FROM unnest($1::int4[]) ON CONFLICT DO NOTHING',
  params: [[1]],
  new_rows: true,
};

/** A store that fails the writes whose number is given; `kinds` are the writes that it was asked for. */
class Attempts {
  readonly kinds: string[] = [];

  constructor(private readonly failures: ReadonlyMap<number, unknown>) {}

  async atomically([first]: readonly Statement[]): Promise<Row[][]> {
    this.kinds.push(first?.copy ? 'copy' : 'upsert');
    const failure = this.failures.get(this.kinds.length);
    if (failure !== undefined) throw failure;
    return [];
  }
}

test('a write that meets a row which exists is repeated with the check, and so are the next ones', async () => {
  const store = new Attempts(new Map([[2, { sqlstate: '23505' }]]));
  const writes = new OptimisticWrites(store);
  for (let write = 0; write < 22; write++) await writes.write([statement]);
  expect(store.kinds).toEqual(['copy', 'copy', ...Array.from({ length: 20 }, () => 'upsert'), 'copy']);
});

test('a value of another type is left to the database, and every other fault to the caller', async () => {
  const typed = new Attempts(new Map([[1, new TypeError('no int4')]]));
  await new OptimisticWrites(typed).write([statement]);
  expect(typed.kinds).toEqual(['copy', 'upsert']);
  const lost = new Attempts(new Map([[1, { sqlstate: '40001' }]]));
  await expect(new OptimisticWrites(lost).write([statement])).rejects.toEqual({ sqlstate: '40001' });
  expect(lost.kinds).toEqual(['copy']);
});
