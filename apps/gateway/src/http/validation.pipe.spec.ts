import { Refusal } from '@countersign/calls';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { refusedBy, ValidationPipe } from './validation.pipe.js';

const body = (value: unknown, schema?: z.ZodType) => new ValidationPipe().transform(value, { type: 'body', ...(schema ? { schema } : {}) });

test('a value is converted by its schema, and unchanged without one', () => {
  expect(body({ a: '7' }, z.object({ a: z.string().transform(Number), b: z.int().default(1) }))).toEqual({ a: 7, b: 1 });
  expect(body({ a: '7' })).toEqual({ a: '7' });
});

test('an invalid value is refused, with the custom refusal of its schema if there is one', () => {
  const plain = z.strictObject({ a: z.string() });
  const own = refusedBy(
    z.strictObject({ a: z.string() }),
    ([issue], value) => new Refusal('conflict', JSON.stringify([issue?.path, value])),
  );
  const refusal = (schema: z.ZodType) => {
    try {
      return body({ a: 1 }, schema);
    } catch (thrown) {
      return thrown;
    }
  };
  expect(refusal(plain)).toMatchObject({ kind: 'invalid-request', more: { issues: [{ path: '/a', code: 'invalid_type' }] } });
  expect(refusal(own)).toMatchObject({ kind: 'conflict', detail: '[["a"],{"a":1}]' });
});

test('members are kept whatever their names', () => {
  const rows = JSON.parse('{"constructor":true,"prototype":[1]}') as unknown;
  expect(JSON.stringify(body(rows, z.record(z.string(), z.json())))).toBe('{"constructor":true,"prototype":[1]}');
});
