import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hostOutside, unhealthyOf } from './hosted-packs.js';
import { placeOf } from './pack-places.js';

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'countersign-hosted-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const TOOL = `
import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { Mood, type Greeting } from './mood.js';
class Greeter { constructor(private readonly mood: Mood) {} greet(name: string): Greeting { return { text: Mood[this.mood] + ' ' + name }; } }
export const greet = defineTool({
  name: 'greet_person', version: '1.0.0', title: 'Greet', description: 'Greets a person by their name, for a test.', category: 'test',
  effect_class: 'pure', input: z.strictObject({ name: z.string() }), output: z.strictObject({ text: z.string() }),
  run: async ({ name }) => new Greeter(Mood.hello).greet(name),
});`;

/** An installed package, written in TypeScript that is more than types. */
function install(name: string, files: Readonly<Record<string, string>>): string {
  const folder = path.join(root, 'node_modules', name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return placeOf(name, root) as string;
}

test('an npm package in TypeScript is loaded by its name; what it lacks comes from the platform', async () => {
  const place = install('@acme/tools', {
    'package.json': '{"name":"@acme/tools","type":"module","exports":{".":{"types":"./x.d.ts","import":"./src/index.ts"}}}',
    'src/index.ts': "import { greet } from './greet.js';\nexport default { name: 'acme', version: '2.0.0', tools: [greet] };",
    'src/greet.ts': TOOL,
    'src/mood.ts': 'export enum Mood { hello }\nexport interface Greeting { text: string }',
  });
  const hosted = await hostOutside('@acme/tools', place, {});
  expect([hosted.fault, hosted.pack.name, hosted.pack.version]).toEqual([undefined, 'acme', '2.0.0']);
  expect(hosted.pack.tools.map(({ contract }) => contract.name)).toEqual(['greet_person']);
  await hosted.runtime.close();
});

test.each<[what: string, files: Record<string, string>, reason: RegExp]>([
  ['a syntax error', { 'package.json': '{"main":"a.ts"}', 'a.ts': 'const = 1;' }, /a\.ts:1: /],
  ['a library that is not installed', { 'package.json': '{"main":"a.mjs"}', 'a.mjs': "import 'left-pad-of-acme';" }, /left-pad-of-acme/],
  ['a manifest that names nothing', { 'package.json': '{"exports":"./dist/a.js"}' }, /build the pack first/],
])('%s is the reason of the fault, without the folders of this machine', async (_what, files, reason) => {
  const hosted = await hostOutside('./pack', install('broken-pack', { 'a.ts': '', ...files }), {});
  const [unhealthy] = unhealthyOf([hosted]);
  expect(unhealthy?.reason).toMatch(reason);
  expect(JSON.stringify(unhealthy)).not.toContain(root);
});
