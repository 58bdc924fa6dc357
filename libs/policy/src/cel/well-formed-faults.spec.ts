import { expect, test } from 'vitest';
import { compiledProgram } from './compile.js';

test('a fault of an expression that begins with a character beyond 16 bits is text that JSON can carry', () => {
  const source = compiledProgram('\u{10fde5}M', new Map());
  const reason = 'fault' in source ? source.fault.reason : '';
  expect(reason).toContain('expecting');
  expect(Buffer.from(reason).toString()).toBe(reason);
});
