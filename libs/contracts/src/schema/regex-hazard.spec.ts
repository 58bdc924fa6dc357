import { describe, expect, test } from 'vitest';
import { cpuTime, RUNAWAY_MS } from '../testing/cpu-time.js';
import { regexHazard } from './regex-hazard.js';

describe('a slow expression is detected', () => {
  test.each([
    '^(a+)+$',
    '^(a*)*b$',
    '^(a|a)*$',
    '^(a|ab|b)*c$',
    '^([a-zA-Z]+)*$',
    '^(\\w+\\s?)*$',
    '^(.*,){12}x$',
    '^(\\d+,?){0,20}!$',
    '^(a?){30}a{30}$',
    `^${'a?'.repeat(25)}${'a'.repeat(25)}$`,
    '^.*.*x$',
    '^\\s*\\w*\\s*x*[a-z]*$',
    'a+b',
    '^\\S+@\\S+$',
    '^(?=(a+)+$)b',
    '^(a)\\1$',
    '^(((([ab]|[^b])){1,3}){3}){1,3}$',
    `^${'(a|a)'.repeat(20)}$`,
    `^${'a?a'.repeat(15)}$`,
    '^((a|b)+c?)+d$',
    '^[\\p{L}]+[a-z]+$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
  ])('%s', (pattern) => {
    expect(regexHazard(pattern)).not.toBeNull();
  });
});

describe('a fast expression is accepted', () => {
  test.each([
    '^[a-z][a-z0-9_-]{0,63}$',
    '^-?(0|[1-9]\\d{0,29})(\\.\\d{1,18})?$',
    '^[0-9a-f]{64}$',
    '^[0-9a-f]{32}[0-9a-f]{32}$',
    '^([0-9a-f]{2}:)+[0-9a-f]{2}$',
    "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
    '^[^@]+@[^@]+$',
    'foo',
    '\\d+',
    '^(red|green|blue)$',
    '^(a|b)*c$',
    '^[\\w.-]+$',
    '^\\/.*$',
  ])('%s', (pattern) => {
    expect(regexHazard(pattern)).toBeNull();
  });
});

test('every accepted expression is fast on the texts that make others slow', () => {
  const patterns = ['^([0-9a-f]{2}:)+[0-9a-f]{2}$', '^(a|b)*c$', '^-?(0|[1-9]\\d{0,29})(\\.\\d{1,18})?$', '^[\\w.-]+$'];
  for (const pattern of patterns) {
    expect(regexHazard(pattern)).toBeNull();
    const matched_ms = cpuTime(() => {
      for (const text of ['a'.repeat(50_000), '0a:'.repeat(20_000), '1'.repeat(50_000), `${'ab'.repeat(30_000)}!`])
        new RegExp(pattern, 'u').test(text);
    });
    expect(matched_ms).toBeLessThan(RUNAWAY_MS);
  }
});

test('an expression that is too large is refused quickly', () => {
  const patterns = [
    `^(${'(a|b)?'.repeat(300)})*$`,
    `^(${Array.from({ length: 200 }, (_, at) => `[${at % 2 ? 'a' : 'b'}-z]`).join('|')})*$`,
    'x'.repeat(5_000),
    `${'('.repeat(500)}${')'.repeat(500)}`,
  ];
  const took_ms = cpuTime(() => {
    for (const pattern of patterns) expect(regexHazard(pattern)).not.toBeNull();
  });
  expect(took_ms).toBeLessThan(RUNAWAY_MS);
});
