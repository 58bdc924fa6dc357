import { contractDigest } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from './define-tool.js';
import type { ContractTestOptions } from './eval-pack.js';
import { verifyTool } from './verify-tool.js';

const shape = z.object({ amount: z.int() });
const tool = defineTool({
  name: 'echo_amount',
  version: '1.2.0',
  title: 'Echo an amount',
  description: 'Answers the amount that it was given.',
  category: 'spec',
  effect_class: 'pure',
  input: shape,
  output: shape,
  run: async ({ amount }) => ({ amount }),
});
const options = (amount: number, log: string[] = []): ContractTestOptions => ({
  golden: [{ title: 'seven', input: { amount: 7 }, output: { amount } }],
  counterpart: {
    prepare: async () => void log.push('prepare'),
    clean: async () => void log.push('clean'),
    snapshot: async () => 'nothing',
  },
});
const now = () => new Date('2026-11-22T00:00:00Z');

test('a result names the contract that it proves, and counts what passed', async () => {
  const result = await verifyTool(tool, options(7), now);
  expect(result).toMatchObject({
    tool: 'echo_amount',
    version: '1.2.0',
    contract_digest: contractDigest(tool.contract),
    failed: 0,
    verified_at: '2026-11-22T00:00:00.000Z',
  });
  expect(result.passed).toBe(result.cases.length);
  expect(result.cases.every((each) => each.passed && each.message === undefined)).toBe(true);
});

test('a failing case states why, in plain text, and the others still run, each in its own world', async () => {
  const log: string[] = [];
  const result = await verifyTool(tool, options(8, log), now);
  expect(result.failed).toBe(1);
  expect(result.passed).toBe(result.cases.length - 1);
  const [failed] = result.cases.filter((each) => !each.passed);
  expect(failed).toMatchObject({ title: 'golden: seven', message: expect.stringContaining('"amount": 8') });
  expect(failed?.message).not.toContain(String.fromCharCode(27));
  expect(log.filter((line) => line === 'prepare').length).toBeGreaterThanOrEqual(result.cases.length);
  expect(log.at(-1)).toBe('clean');
});
