import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { YAML_BYTES_MAX, yamlValue } from './yaml-text.js';

const read = (text: string) => {
  const found = yamlValue(text);
  if ('hazard' in found) return `${found.hazard.path}: ${found.hazard.message}`;
  return 'fault' in found ? found.fault : found.value;
};

describe('YAML', () => {
  test('is read as the JSON that it means', () => {
    expect(read('# a trip\nname: trip\nversion: 1.0.0\nroot: {kind: step, asks: true}\nwait_max_ms: 1000\n')).toEqual({
      ...{ name: 'trip', version: '1.0.0', root: { kind: 'step', asks: true }, wait_max_ms: 1000 },
    });
  });

  test('has the words of YAML 1.2: no is a text, and so is a date', () => {
    expect(read('a: no\nb: 2026-01-01\nc: 0x10\nd: 012\ne: ~\n1: x')).toEqual({ a: 'no', b: '2026-01-01', c: 16, d: 12, e: null, 1: 'x' });
  });

  test('has texts that begin like what is not taken', () => {
    expect(read('a: "&x"\nb: 1 & 2 * 3!\nc: |\n  *x\nd: >-\n  ?\ne: 50%')).toEqual({
      ...{ a: '&x', b: '1 & 2 * 3!', c: '*x\n', d: '?', e: '50%' },
    });
  });

  test.each([
    ['an anchor', 'a: b\nc: &x [1]', 'line 2: anchors are not taken'],
    ['an alias', '# &x\na: *x', 'line 2: aliases are not taken'],
    ['an older YAML', '%YAML 1.1\n---\na: no', 'directives are not taken'],
    ['a tag', 'a: !!js/function "x"', 'tags are not taken'],
    ['binary', 'a: !!binary aGk=', 'tags are not taken'],
    ['a key that stands twice', 'a: 1\nb:\n  c: 1\n  c: 2', 'line 4: the key c stands twice'],
    ['a number without a value', 'a: .inf', '.inf has no value in JSON'],
    ['an explicit key', '? [a]\n: 1', 'explicit keys are not taken'],
    ['a key that is no text', '[a]: 1', 'is not YAML'],
    ['several documents', 'a: 1\n---\nb: 2', 'is not YAML'],
    ['no YAML', 'a: [1', 'is not YAML'],
    ['a prototype', '__proto__: {a: 1}', '__proto__'],
    ['deep nesting', `${'[\n'.repeat(70)}${']'.repeat(70)}`, 'levels deep'],
  ])('with %s is refused', (_what, text, detail) => {
    expect(read(text)).toEqual(expect.stringContaining(detail));
  });

  const repeated = (text: string) => text.repeat(Math.floor(YAML_BYTES_MAX / text.length));
  test.each([
    ['sequences', repeated('['), 'levels deep'],
    ['maps', repeated('{a: '), 'levels deep'],
    ['brackets that close nothing', repeated('[}'), 'closes nothing'],
    ['lists in a line', repeated('- '), 'a block begins after column 160'],
    ['keys in a line', repeated(': '), 'a block begins after column 160'],
    ['named keys in a line', repeated('a: '), 'a block begins after column 160'],
    ['blocks of growing depth', Array.from({ length: 350 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'), 'after column 160'],
    ['explicit keys', repeated('? '), 'explicit keys'],
    ['anchors', repeated('&a '), 'anchors'],
    ['marks of the parser', repeated('[: \u0018'), 'control characters'],
  ])('is refused before it is parsed where it would not end well: %s', (_what, text, detail) => {
    expect(read(text)).toEqual(expect.stringContaining(detail));
  });

  test.each([
    ['keys', `{${Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join(',')}}`.slice(0, YAML_BYTES_MAX)],
    ['wrong escapes', `"${repeated('\\<')}`],
    ['wrong block scalars', `-\n${repeated('|\n')}`],
    ['lines', repeated('a\n')],
    ['comments', repeated('#\n')],
    ['blanks', `a: |\n${repeated(' \n')}`],
  ])('takes time that grows with its length alone: %s', (_what, text) => {
    const before = process.cpuUsage();
    read(text);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(4_000);
  });

  test('of whatever kind has a value or a refusal: nothing is thrown', () => {
    const syntax = '[ ] { } : : - , \n a " \' |\n >\n # ---\n ...\n \t ? \r\n {a: [: -\n \uFEFF \u2028 <<:'
      .split(' ')
      .concat(' ', '  ', '- ', ': ');
    const pattern = fc.array(fc.constantFrom(...syntax), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, pattern, (head, part) => {
        expect(yamlValue(head + part.repeat(8_000 / part.length))).toBeDefined();
      }),
      { numRuns: 200 },
    );
  });

  test('with aliases of aliases is refused before anything is multiplied', () => {
    const levels = Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(',')}]`);
    expect(read(`a0: &a0 [x]\n${levels.join('\n')}`)).toEqual(expect.stringContaining('anchors are not taken'));
  });
});
