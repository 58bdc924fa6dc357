import { describe, expect, test } from 'vitest';
import { literalFit, schemaFit } from './fit.js';

const closed = {
  type: 'object',
  properties: { id: { type: 'string', maxLength: 3 }, maxLength: { type: 'integer' } },
  required: ['id'],
  additionalProperties: false,
};

describe('a schema', () => {
  test('that leaves the same or less fits', () => {
    expect(schemaFit({ type: 'integer', maximum: 3 }, { type: 'number', maximum: 5 })).toEqual({ kind: 'fits' });
  });

  test('with another type, without a field, or with other values does not fit', () => {
    expect(schemaFit({ type: 'string' }, { type: 'number' }).kind).toBe('does_not_fit');
    expect(schemaFit({ type: 'object', properties: {} }, closed).kind).toBe('does_not_fit');
    expect(schemaFit({ type: 'string' }, { enum: ['a'] }).kind).toBe('does_not_fit');
    const misnamed = { ...closed, properties: { id: { type: 'string', maxLength: 3 }, maxLength: { type: 'string' } } };
    expect(schemaFit(misnamed, closed)).toMatchObject({ kind: 'does_not_fit', reason: expect.stringContaining('/properties/maxLength') });
  });

  test.each([
    [{ type: 'string', maxLength: 4 }, 'maxLength'],
    [{ type: 'string', pattern: '^a' }, 'pattern'],
    [{ type: 'string', format: 'date' }, 'format'],
  ])('without the limit of %j may not fit', (target, keyword) => {
    expect(schemaFit({ type: 'string' }, target)).toEqual({ kind: 'may_not_fit', keyword });
  });
});

describe('a literal', () => {
  test.each([
    ['a', { type: 'string', maxLength: 1 }],
    [{ id: 'abc' }, closed],
    [{ id: 'abc', maxLength: 1 }, closed],
    [[1, 2], { type: 'array', items: { type: 'integer' }, maxItems: 2 }],
    [[], { type: 'array', items: { type: 'integer' } }],
    [[1, 'a'], { type: 'array', items: { type: ['integer', 'string'] } }],
    [Array.from({ length: 3000 }, (_, n) => n), { type: 'array', items: { type: 'integer' } }],
    ['b', { enum: ['a', 'b'] }],
    [{ a: 1 }, { enum: [{ a: 1 }] }],
    [null, { type: ['string', 'null'] }],
  ])('%j fits %j', (value, target) => {
    expect(literalFit(value, target)).toEqual({ kind: 'fits' });
  });

  test.each([
    ['ab', { type: 'string', maxLength: 1 }],
    [{ id: 'abcd' }, closed],
    [{}, closed],
    [{ id: 'a', other: 1 }, closed],
    [[1, 'a'], { type: 'array', items: { type: 'integer' } }],
    [[1, 2, 3], { type: 'array', items: { type: 'integer' }, maxItems: 2 }],
    ['c', { enum: ['a', 'b'] }],
    [null, { type: 'string' }],
  ])('%j does not fit %j', (value, target) => {
    expect(literalFit(value, target).kind).toBe('does_not_fit');
  });

  test('is matched with a pattern only when it runs', () => {
    expect(literalFit('abc', { type: 'string', pattern: '^a' })).toEqual({ kind: 'may_not_fit', keyword: 'pattern' });
  });
});
