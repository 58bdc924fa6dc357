import type { Tool } from '@countersign/tool-kit';
import { expect, test } from 'vitest';
import { packs } from '../packs.js';
import { hostPacks } from './hosted-packs.js';
import { loadTools } from './loaded-tool.js';

const [known] = packs.find(({ name }) => name === 'workspace')?.tools ?? [];
const load = (contract: object) => {
  const tool = { ...known, contract: { ...known?.contract, ...contract } } as Tool;
  return async () => loadTools(await hostPacks([{ name: 'made', tools: [tool] }], ['made']), {});
};

test('a tool that was built by hand obeys the same rules', async () => {
  await expect(load({})()).resolves.toHaveProperty('size', 1);
  const elsewhere = { type: 'object', additionalProperties: false, properties: { a: { $ref: 'https://evil.example/s' } } };
  await expect(load({ input_schema: elsewhere })()).rejects.toThrow(/is refused: input: \/properties\/a\/\$ref: .* is outside the schema/);
  await expect(load({ effect_class: 'none' })()).rejects.toThrow('effect_class is missing');
  await expect(load({ output_schema: {} })()).rejects.toThrow('has no type');
});

test('every built-in tool loads', async () => {
  const names = packs.map(({ name }) => name);
  expect(loadTools(await hostPacks(packs, names), {}).size).toBeGreaterThan(30);
});

test('an unknown pack is refused by name', async () => {
  await expect(hostPacks(packs, ['nonsense'])).rejects.toThrow(/unknown pack nonsense; known packs: conformance, demo, git/);
});
