import { defineTool, ToolError } from '@countersign/tool-kit';
import { testContext } from '@countersign/tool-kit/test-context';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { InProcessRuntime } from './in-process-runtime.js';

const traits = {
  version: '1.0.0',
  title: 'Of a spec',
  description: 'A tool of the spec of the runtime in this process.',
  category: 'spec',
  effect_class: 'commit_low' as const,
  idempotency: { discriminating: ['name'] },
  input: z.strictObject({ name: z.string() }),
  output: z.strictObject({ total: z.int() }),
};
const refusal = new ToolError('PROVIDER_ERROR', 'no', { effect: 'none' });
const plain = defineTool({ ...traits, name: 'plain_write', run: async () => Promise.reject(refusal) });
const able = defineTool({
  ...traits,
  name: 'able_write',
  run: async ({ name }) => ({ total: name.length }),
  compensate: async ({ idempotency_key, inputs: { name }, output: { total } }) => `${name} of ${idempotency_key} back by ${total}`,
  reconcile: async () => ({ kind: 'happened' as const, output: { total: 3 } }),
  verify: async () => ({ kind: 'verified' as const }),
  changedNothing: ({ total }) => total === 0,
  sanity: [
    { name: 'positive', severity: 'block' as const, holds: (_, { total }) => total > 0 },
    {
      name: 'readable',
      severity: 'warn' as const,
      holds: () => {
        throw new Error('no books');
      },
    },
  ],
});
const runtime = new InProcessRuntime({ name: 'made', version: '2.0.0', tools: [plain, able] });
const job = (tool: string) => ({ tool: `${tool}@1.0.0`, input: { name: 'abc' }, context: testContext() });

test('a loaded pack lists the functions of each tool', async () => {
  const { name, version, tools } = await runtime.load();
  expect([name, version]).toEqual(['made', '2.0.0']);
  expect(tools.map(({ contract, asks }) => [contract.name, [...asks]])).toEqual([
    ['plain_write', []],
    ['able_write', ['compensate', 'reconcile', 'verify', 'changedNothing', 'sanity']],
  ]);
});

test('every request reaches its tool, and its result is returned unchanged', async () => {
  await expect(runtime.run(job('plain_write'))).rejects.toBe(refusal);
  await expect(runtime.run(job('able_write'))).resolves.toEqual({ total: 3 });
  const effect = { call_id: '0-1', idempotency_key: 'k', inputs: { name: 'abc' }, output: { total: 3 }, version: '1.0.0' };
  await expect(runtime.compensate(job('able_write'), effect)).resolves.toBe('abc of k back by 3');
  await expect(runtime.reconcile(job('able_write'))).resolves.toEqual({ kind: 'happened', output: { total: 3 } });
  await expect(runtime.verify(job('able_write'), { total: 3 })).resolves.toEqual({ kind: 'verified' });
  expect([0, 1].map((total) => runtime.changedNothing(job('able_write'), { total }))).toEqual([true, false]);
});

test('a failed predicate is named, and so is one that throws', () => {
  expect(runtime.sanity(job('able_write'), { total: 0 })).toEqual([
    { path: '', predicate: 'positive', severity: 'block', message: 'positive does not hold' },
    { path: '', predicate: 'readable', severity: 'warn', message: 'readable could not be checked: no books' },
  ]);
});

test('an unknown tool is not run', () => {
  expect(() => runtime.run(job('absent_write'))).toThrow('the pack made has no tool absent_write@1.0.0');
});
