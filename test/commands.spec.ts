import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const LEFT_OUT = new Set(['node_modules', 'dist', '.git', '.countersign']);
const READ = /\.(md|ts|mjs|js|json|sh|yml|yaml)$|Dockerfile$/;
/** The registry's package of this name is not ours: npx outside of a clone, or an install, would run a stranger's code. */
const STRANGERS =
  /\b(?:npx|npm exec|bunx|pnpm dlx|yarn dlx)\s+(?:-\S+\s+)*(?:--\s+)?countersign\b|\bnpm (?:i|install|add)\s+(?:-\S+\s+)*countersign\b/;
/** A command of ours by its bare name, which no clone puts on the PATH, in an instruction to run it. */
const BARE = /(?:^|\n)\s*(?:\$ )?countersign (?:verify|replay|witness|projections|accept-damage)\b/;

function* texts(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) yield* texts(place);
    else if (entry.isFile() && READ.test(entry.name) && entry.name !== 'commands.spec.ts') yield place;
  }
}

test('nothing tells anybody to fetch the command from a registry', () => {
  const faults = [...texts(root)].filter((file) => STRANGERS.test(readFileSync(file, 'utf8')));
  expect(faults.map((file) => path.relative(root, file))).toEqual([]);
});

test('pages give commands as a clone runs them', () => {
  const pages = [...texts(root)].filter((file) => file.endsWith('.md'));
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter((file) => BARE.test(readFileSync(file, 'utf8'))).map((file) => path.relative(root, file))).toEqual([]);
  for (const file of pages)
    for (const [, script] of readFileSync(file, 'utf8').matchAll(/`npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(script);
});

const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

test.each([
  ['npx countersign verify x', true],
  ['npx --yes countersign', true],
  ['npm install -g countersign', true],
  ['npm exec -- countersign', true],
  ['npm run countersign -- verify x', false],
  ['npx tsc', false],
])('%s: %s', (line, is_stranger) => {
  expect(STRANGERS.test(line)).toBe(is_stranger);
});
