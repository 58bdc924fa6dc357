import { expect, test } from 'vitest';
import { asNewRows } from './new-rows.js';

const INSERT = 'INSERT INTO {a} AS a (b) SELECT * FROM unnest($1::int4[])';

test('an INSERT of arrays whose rows are new becomes a COPY of their types, under a separate name', () => {
  const upsert = {
    name: 'upsert_a',
    text: `${INSERT} ON CONFLICT (b) DO UPDATE SET b = excluded.b`,
    params: [[1]],
    new_rows: true,
  } as const;
  const copy = { name: 'upsert_a_copy', text: 'COPY {a} (b) FROM STDIN (FORMAT BINARY)', params: [[1]], copy: ['int4'] };
  expect(asNewRows(upsert)).toEqual(copy);
});

test('an INSERT that computes with the arrays, or has a type without a binary form here, only loses its ON CONFLICT clause', () => {
  const cast = 'INSERT INTO {a} (b) SELECT b::jsonb FROM unnest($1::text[]) AS new (b)';
  const real = 'INSERT INTO {a} (b, c) SELECT * FROM unnest($1::int4[], $2::float8[])';
  for (const [text, params] of [
    [cast, [['{}']]],
    [real, [[1], [2.5]]],
  ] as const) {
    const upsert = { name: 'upsert_a', text: `${text} ON CONFLICT DO NOTHING`, params, new_rows: true } as const;
    expect(asNewRows(upsert)).toEqual({ name: 'upsert_a_new', text: `${text} `, params });
  }
});

test('any other statement is unchanged', () => {
  const upsert = { name: 'upsert_a', text: `${INSERT} ON CONFLICT DO NOTHING`, params: [[1]] };
  const plain = { text: INSERT, params: [[1]], new_rows: true } as const;
  expect(asNewRows(upsert)).toBe(upsert);
  expect(asNewRows(plain)).toBe(plain);
});
