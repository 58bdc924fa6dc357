import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanJson } from './json-places.js';

/** The value at a JSON Pointer. */
function valueAt(value: unknown, pointer: string): unknown {
  const parts = pointer.split('/').slice(1);
  return parts.reduce((at, part) => (at as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')], value);
}

const fault = (text: string) => {
  const { fault: found } = scanJson(text);
  return found && [text.slice(found.from, found.to), found.reason];
};

describe('the places of a JSON text', () => {
  test('every value of any JSON stands where its place says', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const { places } = scanJson(text);
        for (const [pointer, { from, to }] of places ?? [])
          expect(JSON.parse(text.slice(from, to))).toEqual(valueAt(JSON.parse(text), pointer));
        expect(places?.get('')).toEqual({ from: 0, to: text.length });
      }),
    );
  });

  test('a text has a fault exactly if it is not JSON, or a name stands twice', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', ']', ':', '1', '\\', '\n'),
        (value, at, put) => {
          const whole = JSON.stringify(value, null, 1);
          const cut = at % (whole.length + 1);
          const text = whole.slice(0, cut) + put + whole.slice(cut + 1);
          const found = fault(text);
          const is_json = (() => {
            try {
              JSON.parse(text);
              return true;
            } catch {
              return false;
            }
          })();
          if (found?.[1]?.includes('stands twice')) expect(is_json || found !== undefined).toBe(true);
          else expect([text, found === undefined]).toEqual([text, is_json]);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('the name of a member has its own place', () => {
    const text = '{"a/b": {"c": 1}}';
    const { name } = scanJson(text).places?.get('/a~1b') ?? {};
    expect(text.slice(name?.from, name?.to)).toBe('"a/b"');
  });

  test.each([
    ['{"a": 1,}', ',', 'the comma before } is one too many'],
    ['[1 2]', '2', 'is not a comma or ]'],
    ['{a: 1}', 'a', 'is not a name'],
    ['{"a" 1}', '1', 'is not a colon'],
    ['{"a": tru}', 'tru', 'is not a value'],
    ['{"a": 01}', '01', 'is not a value'],
    ['{"a": 1, "a": 2}', '"a"', 'the field a stands twice'],
    ['{"a": "x\n"}', '"x', 'its quotation mark is missing'],
    ['{"a": "\\x"}', '\\x', 'is followed by one of'],
    ['{"a": "\u0001"}', '"', 'a control character'],
    ['{"a": [1', '[', 'has no end: its ] is missing'],
    ['{"a": 1} 2', '2', 'is after the end'],
    ['', '', 'the text ends here'],
    ['[', '[', 'the text ends here'],
  ])('%j is faulty at %j', (text, at, reason) => {
    const [where, why] = fault(text) ?? [];
    expect(where).toBe(at);
    expect(why).toContain(reason);
  });

  test('nesting without end and a text of a megabyte are read in a moment', () => {
    expect(fault('['.repeat(100_000))?.[1]).toContain('nested too deeply');
    const long = JSON.stringify({
      rules: Array.from({ length: 2000 }, (_, at) => ({ id: `r${at}`, effect: 'deny', when: 'x'.repeat(450) })),
    });
    const started = performance.now();
    expect(scanJson(long).places?.size).toBe(8002);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
