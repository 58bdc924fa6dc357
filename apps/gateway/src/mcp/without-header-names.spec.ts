import { expect, test } from 'vitest';
import { withoutHeaderNames } from './without-header-names.js';

test('no listed schema asks a client to send an argument as a header', () => {
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const place = { type: 'object', properties: { region } };
  expect(withoutHeaderNames({ type: 'object', properties: { region, place } })).toEqual({
    type: 'object',
    properties: { region: { type: 'string' }, place: { type: 'object', properties: { region: { type: 'string' } } } },
  });
});

test('a schema without such names is the same value', () => {
  const schema = { type: 'object', properties: { region: { type: 'string' } } };
  expect(withoutHeaderNames(schema)).toBe(schema);
});
