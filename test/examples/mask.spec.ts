import { expect, test } from 'vitest';
import { MARK, SECRET } from '../tenants/acme.js';
import { EXAMPLE_KEY, ExampleMask } from './mask.js';

const masked = (value: unknown) => new ExampleMask().masked(value);

test('ids and hashes are numbered: the same one is masked as the same', () => {
  const [one, other] = ['01a21732-9552-7000-9ac2-cfb0c01759da', '01a21732-955b-7000-afe4-8c763439ead8'];
  expect(masked({ call_id: `3-${one}`, again: one, other, trace_id: 'a'.repeat(32) })).toEqual({
    call_id: '0-01900000-0000-7000-8000-000000000001',
    again: '01900000-0000-7000-8000-000000000001',
    other: '01900000-0000-7000-8000-000000000002',
    trace_id: '3'.padStart(32, '0'),
  });
});

test('keys, secrets, tokens and signatures are not in an example', () => {
  const key = `csk_${'aB3'.repeat(14)}x`;
  const secrets = [key, 'whsec_bMBTe1TZS8zIhnoxt7dnubjIExG1pR6lPBJqF+M/iSg=', 'eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.MEUCIQ', SECRET, MARK];
  const signature = '2ck6geQd91ncJyy9XRxJB2fc072reXZThjFIrXXCNGtinpJJ5rBOgP+48R3HJoWFOj5T0oOrD5rxKaSLhPd48PVTTQU=';
  const text = JSON.stringify(masked({ secrets: secrets.join(' '), signature }));
  for (const secret of [...secrets, signature]) expect(text).not.toContain(secret);
  expect(text).toContain(EXAMPLE_KEY);
  expect(masked('csk_aB3aB3aB')).toBe('csk_EXAMPLEE');
});

test('times, durations and fractions are fixed; other words and numbers stay', () => {
  expect(
    masked({ ended_at: '2026-11-26T09:32:00.944Z', duration_ms: 3, at_ms: 1, read_at_ms: 1, rate: 0.123, count: 3, tool: 'read_file' }),
  ).toEqual({
    ended_at: '2026-01-02T03:04:05.000Z',
    duration_ms: 12,
    at_ms: 1767323045000,
    read_at_ms: 1767323045000,
    rate: 0.5,
    count: 3,
    tool: 'read_file',
  });
});

test('a list is shortened, a tuple is not', () => {
  expect(masked({ items: [1, 2, 3], entry: ['topic', 0, 4, 'x'] })).toEqual({ items: [1, 2], entry: ['topic', 0, 4, 'x'] });
});
