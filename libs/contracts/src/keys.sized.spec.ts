import { createHmac } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText } from './canonical-text.js';
import { uuidText } from './ids.js';
import { attemptKey, derivedKey, discriminatingInputs, headerKey, normalise, tenantKey } from './keys.js';
import { histories } from './testing/histories.js';

const key = tenantKey(Buffer.alloc(32, 7), 'acme');
const parts = {
  tenant_id: 'acme',
  case_id: 'case_1',
  run_id: 'run_1',
  principal_id: 'agent_1',
  tool: 'create_purchase_order',
  version: '1.2.3',
  discriminating: '{"supplier":"sup_alpha"}',
  occurrence: null,
};

function shuffled(value: unknown, pick: (n: number) => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, pick));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  for (let i = entries.length - 1; i > 0; i--) {
    const j = pick(i + 1);
    [entries[i], entries[j]] = [entries[j] as [string, unknown], entries[i] as [string, unknown]];
  }
  return Object.fromEntries(entries.map(([name, item]) => [name, shuffled(item, pick)]));
}

/** The same value with each text and name normalized separately. */
function everyText(value: unknown): unknown {
  if (typeof value === 'string') return normalise(value);
  if (Array.isArray(value)) return value.map(everyText);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name.normalize('NFC'), everyText(item)]));
}

/** A text that differs for any two different values, including lone surrogates. */
const canonicalOf = (value: unknown): string => JSON.stringify(value);

describe('idempotency keys', () => {
  test('a key is the first 16 bytes of the HMAC-SHA256 of its parts, for keys and texts of any length', () => {
    const length = (text: string) => `${Buffer.byteLength(text)}:${text}`;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(60), (secret, word, times) => {
        const header = word.repeat(times);
        const text = `header${length('acme')}${length('anna')}${length(header)}`;
        const expected = createHmac('sha256', secret).update(text).digest('hex').slice(0, 32);
        expect(headerKey(secret, { tenant_id: 'acme', principal_id: 'anna', header }).replaceAll('-', '')).toBe(expected);
      }),
    );
  });

  test('the order of object keys does not matter', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.infiniteStream(fc.nat(1000)), (value, numbers) => {
        const again = shuffled(value, (n) => (numbers.next().value as number) % n);
        expect(canonicalText(normalise(again))).toBe(canonicalText(normalise(value)));
      }),
      { numRuns: histories(200, 500) },
    );
  });

  test("the canonical text of any value equals the library's, and values that the library refuses are refused", () => {
    const odd = fc.oneof(
      fc.constantFrom(undefined, Number.NaN, Number.POSITIVE_INFINITY, -0, 1e21, '\ud800', 'a\udc00', '😀', new Date(0), Symbol('s')),
      fc.jsonValue(),
    );
    const outcome = (text: (value: unknown) => string | undefined, value: unknown) => {
      try {
        return text(value) ?? 'refused';
      } catch {
        return 'refused';
      }
    };
    const values = fc.oneof(
      odd,
      fc.array(odd),
      fc.dictionary(fc.string({ unit: 'binary' }), odd),
      fc.dictionary(fc.string(), fc.array(odd)),
    );
    fc.assert(
      fc.property(values, (value) => void expect(outcome(canonicalText, value)).toBe(outcome(canonicalize, value))),
      { numRuns: histories(200, 2_000) },
    );
    const deep = JSON.parse(`${'['.repeat(200)}{"b":1,"a":2}${']'.repeat(200)}`);
    expect(canonicalText(deep)).toBe(canonicalize(deep));
    const round: unknown[] = [];
    round.push({ round });
    expect(() => canonicalText(round)).toThrow('Circular');
  });

  test('normalizing twice equals normalizing once', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void expect(normalise(normalise(value))).toEqual(normalise(value))));
  });

  test('a value that is already normalized is returned itself, and only such a value', () => {
    const word = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'e\u0301',
        '\u00e9',
        '\u1100\u1161',
        '\u212b',
        '2026-05-01T02:00:00+02:00',
        '2026-05-01T00:00:00.000Z',
        '2026-02-30T00:00:00Z',
      ),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ depthSize: 'small' }, word, fc.jsonValue(), fc.array(tie('tree')), fc.dictionary(word, tie('tree'))),
    }));
    const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(tree, (value) => {
        let normal: unknown;
        try {
          normal = normalise(value);
        } catch {
          return; // two fields of one name
        }
        if (typeof value === 'object' && value !== null) expect(normal === value).toBe(canonicalOf(normal) === canonicalOf(value));
        expect(plain(normal)).toEqual(plain(everyText(value)));
      }),
      { numRuns: histories(200, 2_000) },
    );
    for (const odd of [{ a: undefined }, new Date(0), new (class Named {})()]) expect(normalise(odd)).not.toBe(odd);
    for (const fields of [
      { 'e\u0301': 1, '\u00e9': 2 },
      { '\u00e9': 1, b: 2, 'e\u0301': 3 },
    ])
      expect(() => normalise(fields)).toThrow('two fields have the same name');
    const part = { b: ['c'] };
    expect((normalise({ part, at: '2026-05-01T02:00:00+02:00' }) as { part: unknown }).part).toBe(part);
  });

  test('text of characters below U+0300 is not changed by composition', () => {
    const low = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code));
    for (const first of low)
      expect(
        low
          .map((second) => first + second)
          .join('\n')
          .normalize('NFC'),
      ).toBe(low.map((second) => first + second).join('\n'));
    expect(normalise(`${low.join('')}\u0301`)).toBe(`${low.join('')}\u0301`.normalize('NFC'));
  });

  test('one instant has one text, whatever its offset', () => {
    expect(normalise('2026-05-01T02:00:00+02:00')).toBe('2026-05-01T00:00:00.000Z');
    expect(normalise('2026-05-01T00:00:00Z')).toBe('2026-05-01T00:00:00.000Z');
    expect(normalise('2026-05-01')).toBe('2026-05-01');
  });

  test('1 and 1.0 are equal, composed and decomposed letters are equal, and a hostile __proto__ is data', () => {
    expect(canonicalText(normalise(JSON.parse('{"a":1.0,"n":"é"}')))).toBe(canonicalText(normalise(JSON.parse('{"n":"e\\u0301","a":1}'))));
    expect(canonicalText(normalise(JSON.parse('{"__proto__":{"x":1}}')))).toBe('{"__proto__":{"x":1}}');
  });

  test('only the major version, the scope, the tool, the inputs, the occurrence and the tenant change the key', () => {
    const base = derivedKey(key, parts);
    expect(derivedKey(key, { ...parts, version: '1.9.0' })).toBe(base);
    expect(derivedKey(key, { ...parts, run_id: 'run_2', principal_id: 'agent_2' })).toBe(base);
    const others = [
      derivedKey(key, { ...parts, version: '2.0.0' }),
      derivedKey(key, { ...parts, case_id: 'case_2' }),
      derivedKey(key, { ...parts, case_id: null }),
      derivedKey(key, { ...parts, case_id: null, run_id: null }),
      derivedKey(key, { ...parts, tool: 'confirm_purchase_order' }),
      derivedKey(key, { ...parts, discriminating: '{}' }),
      derivedKey(key, { ...parts, occurrence: '2' }),
      derivedKey(tenantKey(Buffer.alloc(32, 7), 'other'), parts),
      headerKey(key, { tenant_id: 'acme', principal_id: 'agent_1', header: 'case_1' }),
    ];
    expect(new Set([base, ...others]).size).toBe(others.length + 1);
  });

  test('moving text across a field boundary does not give the same key', () => {
    expect(derivedKey(key, { ...parts, tool: 'a', case_id: 'bc' })).not.toBe(derivedKey(key, { ...parts, tool: 'ab', case_id: 'c' }));
    expect(headerKey(key, { tenant_id: 'a', principal_id: 'b:1', header: 'c' })).not.toBe(
      headerKey(key, { tenant_id: 'a', principal_id: 'b', header: '1:c' }),
    );
  });

  test('fields that do not discriminate are omitted, with either declaration', () => {
    const inputs = { supplier: 's', total: 5, drafted_at: 'now' };
    expect(discriminatingInputs({ idempotency: { except: ['drafted_at'] } }, inputs)).toEqual({ supplier: 's', total: 5 });
    expect(discriminatingInputs({ idempotency: { discriminating: ['supplier'] } }, inputs)).toEqual({ supplier: 's' });
  });
});

describe('the key of an attempt', () => {
  const uuid = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => uuidText(bytes));

  test('is the key itself for the first attempt, and HMAC-SHA256 of the key over the attempt for others', () => {
    const key = '00112233-4455-6677-8899-aabbccddeeff';
    const hex = createHmac('sha256', Buffer.from('00112233445566778899aabbccddeeff', 'hex')).update('attempt:2').digest('hex');
    expect(attemptKey(key, 1)).toBe(key);
    expect(attemptKey(key, 2).replaceAll('-', '')).toBe(hex.slice(0, 32));
  });

  test('differs for each key and attempt, and is always the same', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(uuid, { minLength: 2, maxLength: 4 }),
        fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 31 }), { minLength: 2, maxLength: 4 }),
        (keys, attempts) => {
          const all = () => keys.flatMap((each) => attempts.map((attempt) => attemptKey(each, attempt)));
          expect(new Set(all()).size).toBe(keys.length * attempts.length);
          expect(all()).toEqual(all());
        },
      ),
    );
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('%d is not a valid attempt', (attempt) => {
    expect(() => attemptKey('00112233-4455-6677-8899-aabbccddeeff', attempt)).toThrow(RangeError);
  });

  test.each(['', 'k', '00112233-4455-6677-8899-AABBCCDDEEFF', '00112233445566778899aabbccddeeff'])('%j is not a valid key', (text) => {
    expect(() => attemptKey(text, 1)).toThrow(RangeError);
  });
});
