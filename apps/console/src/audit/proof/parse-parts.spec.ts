import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInParts } from './parse-parts.js';

function parsed(text: string): unknown {
  const parts = parseInParts(text);
  for (;;) {
    const next = parts.next();
    if (next.done) return next.value;
  }
}

const orError = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (cause) {
    return cause instanceof SyntaxError ? 'refused' : cause;
  }
};

describe('a JSON object that is parsed in parts', () => {
  test('is what JSON.parse makes of it, however it is spaced and nested', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(JSON.stringify(parsed(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 300 },
    );
  });

  test('is refused where JSON.parse refuses it, after any character is changed, left out or added', () => {
    const json = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 3 });
    const wrong = fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', '1', 'x', '\n', '\u0000');
    fc.assert(
      fc.property(json, fc.nat(), fc.nat(1), wrong, (value, at, length, other) => {
        const text = JSON.stringify(value);
        const place = at % text.length;
        const changed = text.slice(0, place) + other + text.slice(place + length);
        const whole = orError(() => JSON.parse(changed));
        const is_object = typeof whole === 'object' && whole !== null && !Array.isArray(whole);
        expect(orError(() => JSON.stringify(parsed(changed)))).toBe(is_object ? JSON.stringify(whole) : 'refused');
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    '',
    'null',
    '[]',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '{"a":[1,]}',
    '{"a":1}{}',
    '{1:2}',
    '{"a":1 2}',
    '{"a":}',
    '{"a":[}',
  ])('%j is refused', (text) => {
    expect(() => parsed(text)).toThrow(SyntaxError);
  });

  test('gives no member of its own beside those of the text', () => {
    const value = parsed('{"__proto__":{"format":"x"},"constructor":1}') as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(value.format).toBeUndefined();
    expect(value.constructor).toBe(1);
  });

  test('is refused when it is nested too deep, or a part of it is too large to parse at once', () => {
    expect(() => parsed(`{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)).toThrow('too deep');
    expect(() => parsed(`{"a":"${'x'.repeat(9_000_000)}"}`)).toThrow('too large');
    expect(() => parsed(`{${' '.repeat(200_000)}}`)).toThrow(SyntaxError);
  });

  test('pauses between parts, and inside long ones', () => {
    expect([...parseInParts(JSON.stringify({ records: Array.from({ length: 50 }, (_, n) => ({ n })) }))].length).toBeGreaterThanOrEqual(50);
    expect([...parseInParts(JSON.stringify({ value: 'x'.repeat(1_000_000) }))].length).toBeGreaterThanOrEqual(4);
  });
});
