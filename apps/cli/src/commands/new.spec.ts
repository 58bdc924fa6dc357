import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newCommand } from './new.js';

const dir = mkdtempSync(path.join(tmpdir(), 'countersign-new-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const run = (...args: string[]) => newCommand.run(args, {});
const pack = path.join(dir, 'my-pack');

test('a pack is written once, and a tool is added to it once', async () => {
  expect((await run('pack', pack, '--kit', '^0.1.0')).code).toBe(0);
  expect(JSON.parse(readFileSync(path.join(pack, 'package.json'), 'utf8'))).toMatchObject({ name: 'my-pack', exports: './src/index.ts' });
  expect((await run('pack', pack)).code).toBe(1);
  expect((await run('tool', 'read_weather', '--pack', pack)).code).toBe(0);
  expect(readFileSync(path.join(pack, 'src/index.ts'), 'utf8')).toContain('readWeather,');
  expect((await run('tool', 'read_weather', '--pack', pack)).code).toBe(1);
});

test.each([
  ['pack', path.join(dir, 'My Pack')],
  ['pack', path.join(dir, '..')],
  ['tool', '../escape_pack', '--pack', pack],
  ['tool', 'readweather', '--pack', pack],
  ['tool', 'read_tide', '--pack', dir],
])('a name or a folder that does not fit is refused: %s %s', async (...args) => {
  expect((await run(...args)).code).toBe(1);
});

test.each([[], ['pack'], ['saga', 'x'], ['pack', 'a', 'b'], ['pack', 'a', '--force']])('wrong usage: %s', async (...args) => {
  expect((await run(...args)).code).toBe(2);
});

test('an index that is written another way is left alone, and the tool is to be listed by hand', async () => {
  writeFileSync(path.join(pack, 'src/index.ts'), 'export const pack = made();\n');
  const { code, lines } = await run('tool', 'read_tide', '--pack', pack, '--write');
  expect([code, lines[0]]).toEqual([0, expect.stringContaining('list it in')]);
});
