import { describe, expect, test } from 'vitest';
import { answerTerms, type EffectSeen, settledAnswer, standsAsSeen } from './answering.js';

const declared = (effect: 'adds' | 'replaces') => ({ resources: [{ name: 'file:{/path}', effect }] });

describe('a settled key', () => {
  test.each([
    ['that the caller passed answers always', 'header', {}, false, 'answers'],
    ['whose resources are untouched since answers', 'derived', declared('replaces'), true, 'answers'],
    ['whose resources were touched since does not', 'derived', declared('adds'), false, 'gone'],
    ['whose row is older than its declaration to add answers', 'derived', declared('adds'), null, 'answers'],
    ['whose row is older than its declaration to replace does not', 'derived', declared('replaces'), null, 'gone'],
    [
      'whose resources are untouched since is verified if its tool can',
      'derived',
      { ...declared('replaces'), has_verify: true },
      true,
      'verify',
    ],
    ['whose resources were touched since is not verified', 'derived', { ...declared('adds'), has_verify: true }, false, 'gone'],
    ['whose row is older than its declaration to add is looked at', 'derived', { ...declared('adds'), has_verify: true }, null, 'verify'],
    ['of a tool that names nothing and can look is looked at', 'derived', { has_verify: true }, null, 'verify'],
    ['of a tool that names no resources and cannot verify does not', 'derived', {}, null, 'gone'],
  ] as const)('%s', (_, source, contract, stands, expected) => {
    expect(settledAnswer(stands, answerTerms(source, contract as never))).toBe(expected);
  });

  test('of an unknown tool does not answer', () => {
    expect(settledAnswer(null, answerTerms('derived', undefined))).toBe('gone');
  });

  test('that replaces depending on its inputs counts as one that replaces', () => {
    const by = { by: '/mode', values: { append: 'adds' as const }, otherwise: 'replaces' as const };
    expect(answerTerms('derived', { resources: [{ name: 'file:{/path}', effect: by }] }).names).toBe('replaces');
  });

  test.each([
    ['nothing', { there: true, not_there: false, cannot_tell: false, not_asked: false }],
    ['adds', { there: true, not_there: false, cannot_tell: true, not_asked: true }],
    ['replaces', { there: true, not_there: false, cannot_tell: false, not_asked: true }],
  ] as const)('of a tool that names %s depends on the verification of the tool', (names, expected) => {
    for (const [seen, stands] of Object.entries(expected)) expect([seen, standsAsSeen(seen as EffectSeen, names)]).toEqual([seen, stands]);
  });
});
