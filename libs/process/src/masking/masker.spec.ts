import { cpuTime, RUNAWAY_MS } from '@countersign/contracts/testing/cpu-time';
import { MASK, Masker } from '@countersign/outbound';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LiveSecrets } from './live-secrets.js';

const secret = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'), minLength: 12, maxLength: 64 }),
  fc.string({ unit: fc.constantFrom(...'aZ9"\\\n/+é%& <€'), minLength: 12, maxLength: 40 }),
);
const filler = fc.string({ unit: fc.constantFrom(...' .:;,xyz'), maxLength: 30 });

const encodings: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  base64: (value) => Buffer.from(value).toString('base64'),
  base64url: (value) => Buffer.from(value).toString('base64url'),
  url: (value) => encodeURIComponent(value),
  form: (value) => new URLSearchParams({ v: value }).toString().slice(2),
  json: (value) => JSON.stringify(value),
  'json in json': (value) => JSON.stringify(JSON.stringify({ value })),
  hex: (value) => Buffer.from(value).toString('hex'),
  HEX: (value) => Buffer.from(value).toString('hex').toUpperCase(),
  'basic auth': (value) => Buffer.from(`user:${value}`).toString('base64'),
  'inside base64': (value) => Buffer.from(`{"a":"${value}","b":1}`).toString('base64'),
};

/** Whether the secret, or most of it, can be read in the text or in its decoded forms. */
function shows(text: string, value: string): boolean {
  const bare = value.slice(1, -1);
  const decoded = [text, text.toLowerCase()].flatMap((one) => [
    one,
    ...(one.match(/[A-Za-z0-9+/_-]{8,}/g) ?? []).flatMap((word) => [
      Buffer.from(word, 'base64').toString(),
      Buffer.from(word, 'hex').toString(),
    ]),
  ]);
  return decoded.some((one) => one.includes(bare));
}

test.each(Object.keys(encodings))('a secret is taken out of a text in which it stands as %s', (name) => {
  fc.assert(
    fc.property(secret, filler, filler, (value, before, after) => {
      const masked = new Masker([value]).record({ said: `${before}${encodings[name]!(value)}${after}` }).said;
      expect(masked).toContain(MASK);
      expect(shows(masked, value)).toBe(false);
    }),
  );
});

test('a secret that is cut into pieces over the fields of one record is masked, in whatever order the pieces are', () => {
  const value = fc.string({
    unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'),
    minLength: 32,
    maxLength: 64,
  });
  fc.assert(
    fc.property(
      value,
      fc.integer({ min: 2, max: 4 }),
      fc.constantFrom('plain', 'base64', 'hex'),
      fc.boolean(),
      (raw, pieces, name, reversed) => {
        const form = encodings[name]!(raw).replace(/=+$/, '');
        const size = Math.ceil(form.length / pieces);
        const parts = Array.from({ length: pieces }, (_, at) => form.slice(at * size, (at + 1) * size)).filter((part) => part !== '');
        const fields = (reversed ? parts.toReversed() : parts).map((part, at) => [`f${at}`, { note: '..', part }]);
        const text = JSON.stringify(new Masker([raw]).record(Object.fromEntries(fields)));
        for (const part of parts) if (part.length * 8 >= form.length && part.length >= 4) expect(text).not.toContain(part);
      },
    ),
  );
});

test('pieces in order are found however small they are, also pieces of letters', () => {
  const value = 'Xk29-qmw7-PP01-zzTr';
  const masked = new Masker([value]).record({ letters: [...value].map((letter) => ({ letter })) });
  expect(JSON.stringify(masked)).not.toContain('"X"');
});

test('a secret is masked in keys, numbers and bytes', () => {
  const masker = new Masker(['s3cr3t-value', '12345678901']);
  expect(masker.record({ 's3cr3t-value': 1, pin: 12345678901, data: [...Buffer.from('s3cr3t-value!')], other: [1, 2, 3] })).toEqual({
    [MASK]: 1,
    pin: MASK,
    data: MASK,
    other: [1, 2, 3],
  });
  expect(masker.json(JSON.stringify(Buffer.from('xx s3cr3t-value xx')))).not.toContain('115,51,99');
  const bytes = masker.bytes(Buffer.from('\u0000a s3cr3t-value b'));
  expect(Buffer.from(bytes).toString()).toBe('\u0000a ************ b');
});

test('a value without a secret is returned unchanged, as the same object', () => {
  const masker = new Masker(['s3cr3t-value-of-forty-characters-012345678']);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(masker.record(value)).toBe(value);
    }),
  );
  const text = '{"a" : 1}';
  expect(masker.json(text)).toBe(text);
});

test('masking 2 MB with 20 secrets takes time in proportion to the size', () => {
  const values = Array.from({ length: 20 }, (_, n) => Buffer.alloc(30, n + 65).toString('base64') + n);
  const masker = new Masker(values);
  const rows = Array.from({ length: 20_000 }, (_, n) => ({
    id: n,
    name: `row ${n}`,
    text: 'the quick brown fox jumps over the lazy dog, again and again',
  }));
  rows[7]!.name = values[3]!;
  const text = JSON.stringify(rows);
  expect(text.length).toBeGreaterThan(1_900_000);
  let masked = '';
  const took_ms = cpuTime(() => {
    masked = masker.json(text);
  });
  expect(masked).not.toContain(values[3]);
  expect(took_ms).toBeLessThan(RUNAWAY_MS);
});

test('output lines of the process show no live secret', () => {
  const live = new LiveSecrets();
  const masker = new Masker(['s3cr3t-value']);
  const line = '{"msg":"it is s3cr3t-value"}';
  expect(live.line(line)).toBe(line);
  live.hold(masker);
  expect(live.line(line)).toBe(`{"msg":"it is ${MASK}"}`);
  live.release(masker, performance.now() - 120_000);
  expect(live.line(line)).toBe(line);
});
