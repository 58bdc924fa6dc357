import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript6';
import { expect, test } from 'vitest';
import { readSources } from './tidy/repository.js';
import { isGenerated, isSpec, nodesOf, type SourceText } from './tidy/source.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const VARIABLE = /^COUNTERSIGN_[A-Z0-9_]+$/;
/** Where specs and chaos runs stop a process, and the counterparty of the pack `probe`: nothing that an operator sets. */
const FOR_TESTS = /^COUNTERSIGN_(TEST_\w+|CRASH_AT|PROBE_URL)$/;

/** The variables that a file names in its code: members of a schema, of the environment or of a pack's settings, and names in quotes. */
function namedIn(source: SourceText): string[] {
  if (!source.text.includes('COUNTERSIGN_')) return [];
  return [...nodesOf(source)]
    .filter((node): node is ts.Identifier | ts.StringLiteral => ts.isIdentifier(node) || ts.isStringLiteral(node))
    .map(({ text }) => text)
    .filter((text) => VARIABLE.test(text) && !FOR_TESTS.test(text));
}

/** The variables of a table's first column; `COUNTERSIGN_S3_{BUCKET,REGION}` is two of them. */
function namedInTable(markdown: string): string[] {
  const cells = [...markdown.matchAll(/^\| (`COUNTERSIGN_[^|]*) \|/gm)].map(([, cell]) => cell as string);
  return [...cells.join(' ').matchAll(/`(COUNTERSIGN_[A-Z0-9_]+)(?:\{([A-Z0-9_,]+)\})?`/g)].flatMap(([, name, ends]) =>
    (ends ?? '').split(',').map((end) => `${name}${end}`),
  );
}

const sorted = (names: readonly string[]) => [...new Set(names)].sort();

test('a variable is found in code and in a table; a comment, a message and a variable of tests are not', () => {
  const code =
    "// COUNTERSIGN_A\nconst schema = { COUNTERSIGN_B: 1, [`${COUNTERSIGN_C}`]: 'COUNTERSIGN_D', d: 'set COUNTERSIGN_E', f: env.COUNTERSIGN_CRASH_AT };";
  expect(sorted(namedIn({ path: 'a.ts', text: code }))).toEqual(['COUNTERSIGN_B', 'COUNTERSIGN_C', 'COUNTERSIGN_D']);
  const table = '| variable | |\n| `COUNTERSIGN_A` (1), `COUNTERSIGN_B_{C,D}` | see `COUNTERSIGN_E` |';
  expect(namedInTable(table)).toEqual(['COUNTERSIGN_A', 'COUNTERSIGN_B_C', 'COUNTERSIGN_B_D']);
});

test('the page of configuration has every variable that the product reads, once, and no other', () => {
  const product = readSources(root).filter(({ path: file }) => /^(apps|libs|packs)\//.test(file) && !isSpec(file) && !isGenerated(file));
  const table = namedInTable(readFileSync(path.join(root, 'docs/reference/configuration.md'), 'utf8'));
  expect(table.filter((name, at) => table.indexOf(name) !== at)).toEqual([]);
  expect(sorted(table)).toEqual(sorted(product.flatMap(namedIn)));
});
