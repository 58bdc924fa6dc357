import { expect, test } from '@jest/globals';
import { asNewRows } from './new-rows.js';

const INSERT = 'INSERT INTO {a} AS a (b) SELECT * FROM unnest($1::int4[])';

test('an INSERT whose rows are new is one without its conflicts, under a name of its own', () => {
  const upsert = {
    name: 'upsert_a',
    text: `${INSERT} ON CONFLICT (b) DO UPDATE SET b = excluded.b`,
    params: [[1]],
    new_rows: true,
  } as const;
  expect(asNewRows(upsert)).toEqual({ name: 'upsert_a_new', text: `${INSERT} `, params: [[1]] });
});

test('any other statement stays as it is', () => {
  const upsert = { name: 'upsert_a', text: `${INSERT} ON CONFLICT DO NOTHING`, params: [[1]] };
  const plain = { text: INSERT, params: [[1]], new_rows: true } as const;
  expect(asNewRows(upsert)).toBe(upsert);
  expect(asNewRows(plain)).toBe(plain);
});
