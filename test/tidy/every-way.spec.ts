import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bannedCalls, bannedDecorators, heldTimers, leftovers } from './calls.js';
import { wrongImports } from './imports.js';
import { barrels } from './names.js';
import { unlistedPackages } from './packages.js';
import { readManifests } from './repository.js';
import type { Fault, SourceText } from './source.js';

const manifests = readManifests(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..'));
const workspaces = new Map(manifests.map(({ name, folder }) => [name, folder]));
const imports = (source: SourceText) => wrongImports(source, workspaces);
const packages = (source: SourceText) => unlistedPackages(source, manifests);

/** Ways to break the rules of tidy.spec.ts beside those planted there, each of which must be found by itself: [rule, check, path, one text a fault]. */
const everyWay: [rule: string, check: (source: SourceText) => Fault[], path: string, faults: string[]][] = [
  [
    'what is pure takes time, ids and numbers as arguments',
    bannedCalls,
    'libs/domain/src/a.ts',
    ['performance.now()', 'process.hrtime()', 'crypto.randomUUID()', 'uuidv7()'],
  ],
  ['no expression is made of a text of a caller', bannedCalls, 'packs/a/src/a.ts', ["new RegExp(query, 'u').test(text)", 'RegExp(query)']],
  [
    'no test is skipped or alone',
    bannedCalls,
    'libs/a/src/a.spec.ts',
    ['test', 'it', 'describe'].flatMap((word) => [`x${word}(f)`, ...['skip', 'only', 'todo'].map((mode) => `${word}.${mode}(f)`)]),
  ],
  [
    'there is no event bus beside the log',
    bannedDecorators,
    'apps/a/src/a.ts',
    ['EventsHandler', 'CommandHandler', 'QueryHandler'].map((name) => `@${name}(X) class A {}`),
  ],
  [
    'a repeating timer does not hold the process',
    heldTimers,
    'apps/a/src/a.ts',
    ['const a = setInterval(f, 1);\nb.unref();', 'this.timer = setInterval(f, 1);\nsetTimeout(g, 1).unref();', 'setInterval(f, 1).ref();'],
  ],
  [
    'nothing is left for later',
    leftovers,
    'libs/a/src/a.ts',
    ['FIX' + 'ME', 'HA' + 'CK', 'XX' + 'X', '@ts-' + 'ignore', '@ts-' + 'nocheck'].map((mark) => `// ${mark} why`),
  ],
  ['what must not compile says why', leftovers, 'libs/a/src/a.spec.ts', ['// @ts-expect' + '-error']],
  [
    'an index.ts below src is a registry, not a barrel',
    barrels,
    'packs/git/src/git-log/index.ts',
    ["export { a } from './a.js';", "export type { A } from './a.js';", "export type * from './a.js';"],
  ],
  [
    'rooms import as DESIGN says, however they import',
    imports,
    'libs/domain/src/a.ts',
    ["await import('@countersign/store');", "export * from '@countersign/store';"],
  ],
  [
    'a workspace lists what it imports, however it imports',
    packages,
    'libs/domain/src/a.ts',
    ["await import('zod');", "export * from 'zod/v4';"],
  ],
];

/** What each room may not import, one line a line of the table of rooms. */
const strangers: [workspaceFolder: string, imports: string][] = [
  ['libs/contracts', 'libs/domain'],
  ['libs/mapping', 'libs/contracts'],
  ['libs/policy', 'libs/domain'],
  ['libs/event-log', 'libs/store'],
  ['libs/store', 'libs/event-log'],
  ['libs/tool-kit', 'libs/process'],
  ['libs/client', 'libs/domain'],
  ['libs/proofs', 'libs/contracts'],
  ['libs/verifier', 'libs/proofs'],
  ['libs/evidence', 'libs/process'],
  ['libs/decisions', 'libs/store'],
  ['libs/process', 'libs/decisions'],
  ['apps/executor', 'apps/gateway'],
  ['apps/cli', 'apps/gateway'],
  ['apps/gateway', 'packs/git'],
  ['libs/unheard-of', 'libs/contracts'],
];

describe('the shape of the code: each branch of a check', () => {
  test.each(everyWay)('%s: every other way to break it is found', (_, check, where, faults) => {
    for (const planted of faults) expect([planted, check({ path: where, text: planted }).length]).toEqual([planted, 1]);
  });

  test.each(strangers)('%s may not import %s', (workspaceFolder, stranger) => {
    const name = manifests.find(({ folder }) => folder === stranger)?.name;
    expect(imports({ path: `${workspaceFolder}/src/a.ts`, text: `import { x } from '${name}';` })).toHaveLength(1);
  });
});
