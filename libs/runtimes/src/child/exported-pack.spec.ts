import { expect, test } from 'vitest';
import { exportedPack } from './exported-pack.js';

const tool = (name: string, version = '1.0.0') => ({ contract: { name, version }, run: async () => ({}) });

test('a module exports its pack by name or as its default', () => {
  const pack = { name: 'a', tools: [tool('x'), tool('x', '2.0.0')] };
  expect(exportedPack({ pack })).toBe(pack);
  expect(exportedPack({ default: pack })).toBe(pack);
});

test.each<[module: unknown, fault: RegExp]>([
  [{}, /exports no pack/],
  [{ pack: 'a' }, /exports no pack/],
  [{ pack: { tools: [] } }, /has no name/],
  [{ pack: { name: 'a' } }, /no list of tools/],
  [{ pack: { name: 'a', tools: [tool('x'), {}] } }, /tools\[1\] .* is not a tool/],
  [{ pack: { name: 'a', tools: [null] } }, /tools\[0\] .* is not a tool/],
  [{ pack: { name: 'a', tools: [tool('x'), tool('y'), tool('x')] } }, /defines the tool x@1\.0\.0 twice/],
])('%o is refused', (module, fault) => {
  expect(() => exportedPack(module)).toThrow(fault);
});
