import { histories } from '@countersign/contracts/testing/histories';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleContract } from '../testing/samples.js';
import { identify } from './effect-identity.js';

const RUNS = histories(1_000, 10_000);
const contract = sampleContract({ idempotency: { discriminating: ['what', 'when', 'how_much'] } });
const keyOf = (inputs: Record<string, unknown>) =>
  identify({
    contract,
    inputs,
    tenant_id: 'acme',
    principal_id: 'bot',
    case_id: 'case_1',
    run_id: null,
    occurrence: null,
    seq: null,
    request_id: null,
    requested_version: null,
    principal_kind: 'agent',
    header: undefined,
    partitions: 4,
    tenant_key: Buffer.alloc(32, 1),
    fresh_uuid: '0197b3a0-0000-7000-8000-000000000001',
  }).idempotency_key;

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Nanoseconds since 1970 of a time with a zone, computed independently; undefined for other texts and for invalid dates. */
function instantOf(text: string): bigint | undefined {
  const [, day, hour, minute, second, fraction = '', zone = 'Z'] = INSTANT.exec(text) ?? [];
  if (day === undefined) return undefined;
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return undefined;
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(zone) ?? [];
  const offset_min = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const seconds = (Number(hour) * 60 + Number(minute) - offset_min) * 60 + Number(second);
  return (BigInt(midnight.getTime()) / 1000n + BigInt(seconds)) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** Whether two values mean the same effect. Independent of the key derivation: the reference that keys are checked against. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    const [left, right] = [instantOf(a), instantOf(b)];
    return left !== undefined && right !== undefined ? left === right : a.normalize('NFC') === b.normalize('NFC');
  }
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => same(item, b[at]));
  }
  const [left, right] = [a, b].map((value) => new Map(Object.entries(value).map(([name, item]) => [name.normalize('NFC'), item])));
  return left?.size === right?.size && [...(left ?? [])].every(([name, item]) => right?.has(name) === true && same(item, right.get(name)));
}
const sameEffect = (a: Record<string, unknown>, b: Record<string, unknown>) =>
  ['what', 'when', 'how_much'].every((field) => same(a[field], b[field]) && field in a === field in b);

const texts = fc.oneof(
  fc.constantFrom(
    'é',
    'e\u0301',
    'ﬁ',
    'fi',
    'Å',
    '\u212b',
    '',
    ' ',
    '0',
    '-0',
    '1e21',
    '2026-02-30T00:00:00Z',
    '2026-03-02T00:00:00Z',
    '日本',
    '👩‍👩‍👧',
    '\u0000',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const numbers = fc.oneof(
  fc.constantFrom(0, -0, 1e21, 1e20, 100000000000000000000, 1.5, 0.1 + 0.2, 0.3, 5e-324, Number.MAX_SAFE_INTEGER, -1e21),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);
const two = (value: number) => String(value).padStart(2, '0');
const times = fc
  .tuple(
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: -14 * 4, max: 14 * 4 }),
    fc.constantFrom('', '.5', '.500', '.000000001', '.000000002', '.123456'),
  )
  .map(([hours, quarters, fraction]) => {
    // One of a few instants in a random zone, so that equal values are common.
    const local = new Date(Date.UTC(2026, 4, 1, 10 + hours) + quarters * 15 * 60_000).toISOString().slice(0, 19);
    const zone = `${quarters < 0 ? '-' : '+'}${two(Math.floor(Math.abs(quarters) / 4))}:${two((Math.abs(quarters) % 4) * 15)}`;
    return `${local}${fraction}${quarters === 0 ? 'Z' : zone}`;
  });
const name = fc.constantFrom('a', 'b', 'é', 'e\u0301x', 'zz', '1', '10', '2');
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    texts,
    numbers,
    times,
    fc.constantFrom(null, true, false),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.uniqueArray(fc.tuple(name, tie('any')), { maxLength: 4, selector: ([key]) => key }).map((entries) => Object.fromEntries(entries)),
  ),
})).any;
const inputs = fc
  .record({ what: value, when: fc.oneof(times, texts), how_much: numbers, note: texts, drafted_at: times }, { requiredKeys: [] })
  .map((made) => ({ ...made }));

/** An equal value in another form: reordered fields, other text normalization, -0 for 0, extra members. */
function otherwise(input: unknown): unknown {
  if (typeof input === 'string') return INSTANT.test(input) ? input : input.normalize('NFD');
  if (input === 0) return -0;
  if (Array.isArray(input)) return input.map(otherwise);
  if (input === null || typeof input !== 'object') return input;
  return Object.fromEntries(
    Object.entries(input)
      .reverse()
      .map(([key, item]) => [key, otherwise(item)]),
  );
}

test(`of ${RUNS} pairs of inputs, those that are one effect have one key, and no others`, () => {
  let equal = 0;
  const pair = fc.oneof(
    fc.tuple(inputs, inputs),
    fc.tuple(inputs, texts).map(([one, note]) => [one, { ...(otherwise(one) as object), note }] as const),
    fc.tuple(inputs, times).map(([one, when]) => [one, { ...one, when }] as const),
    fc.tuple(inputs, value).map(([one, what]) => [one, { ...one, what }] as const),
  );
  fc.assert(
    fc.property(pair, ([a, b]) => {
      const one = sameEffect(a, b);
      if (one) equal++;
      expect(keyOf(a) === keyOf(b)).toBe(one);
    }),
    { numRuns: RUNS },
  );
  // Both outcomes occurred often.
  expect(equal).toBeGreaterThan(RUNS / 10);
  expect(equal).toBeLessThan(RUNS * 0.9);
});
