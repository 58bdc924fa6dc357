import type { Tool } from '@countersign/tool-kit';
import { expect, test } from '@jest/globals';
import { loadTools } from './loaded-tool.js';
import { packs } from './packs.js';

const [known] = packs.find(({ name }) => name === 'workspace')?.tools ?? [];
const load = (contract: object) => {
  const tool = { ...known, contract: { ...known?.contract, ...contract } } as Tool;
  return () => loadTools([{ name: 'made', tools: [tool] }], ['made'], {});
};

test('a tool that was put together by hand is held to the same rules', () => {
  expect(load({})).not.toThrow();
  expect(
    load({ input_schema: { type: 'object', additionalProperties: false, properties: { a: { $ref: 'https://evil.example/s' } } } }),
  ).toThrow(/is refused: input: \/properties\/a\/\$ref: refers to .*elsewhere/);
  expect(load({ effect_class: 'none' })).toThrow('it has no effect class');
  expect(load({ output_schema: {} })).toThrow('has no type');
});

test('every built-in tool loads', () => {
  const names = packs.map(({ name }) => name);
  expect(loadTools(packs, names, {}).size).toBeGreaterThan(30);
});
