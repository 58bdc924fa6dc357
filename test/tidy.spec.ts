import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bannedCalls, bannedDecorators, heldTimers, leftovers } from './tidy/calls.js';
import { compiled, valueCycles } from './tidy/cycles.js';
import { bagsAmong, folderCircles, httpInside, largeBags } from './tidy/folders.js';
import { nestInside, wrongImports } from './tidy/imports.js';
import { barrels, forbiddenNames } from './tidy/names.js';
import { heavyFoundations, looseVersions, unlistedPackages } from './tidy/packages.js';
import { vagueRefusals } from './tidy/refusals.js';
import { unlistedItems } from './tidy/registries.js';
import { readCompiled, readManifests, readSources } from './tidy/repository.js';
import { crowdedConstructors, deepFolders, longFiles, longFunctions } from './tidy/sizes.js';
import type { Fault, SourceText } from './tidy/source.js';
import { looseLogEvents, retiredNames } from './tidy/words.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const sources = readSources(root);
const manifests = readManifests(root);
const workspaces = new Map(manifests.map(({ name, folder }) => [name, folder]));

const text = (faults: readonly Fault[]) => faults.map((fault) => `${fault.path}:${fault.line} ${fault.message}`);
const lines = (count: number) => Array.from({ length: count }, (_, at) => `  work(${at});`).join('\n');
const file = (name: string, code: string): SourceText => ({ path: name, text: code });

const imports = (source: SourceText) => wrongImports(source, workspaces);
const packages = (source: SourceText) => unlistedPackages(source, manifests);
/** A bag that its user imports from another file. */
const bagElsewhere = file('libs/a/src/bag.ts', 'export interface OtherDeps { a: A; b: B; c: C; d: D; e: E; f: F; g: G }');
const bagShapes = bagsAmong([...sources, bagElsewhere]);
const bags = (source: SourceText) => largeBags(source, bagShapes);

type Rule = [rule: string, check: (source: SourceText) => Fault[], planted: SourceText, innocent: SourceText];

const each: Rule[] = [
  ['a file has at most 300 lines', longFiles, file('libs/a/src/a.ts', lines(301)), file('libs/a/src/generated/a.ts', lines(301))],
  [
    'a function has at most 70 lines, a describe may be longer',
    longFunctions,
    file('libs/a/src/a.ts', `export const f = () => {\n${lines(70)}\n};`),
    file('libs/a/src/a.spec.ts', `describe('a', () => {\n${lines(90)}\n});`),
  ],
  ['at most two folders stand below src', deepFolders, file('libs/a/src/b/c/d/e.ts', ''), file('libs/a/src/b/c/d.ts', '')],
  [
    'what Nest builds has at most four dependencies',
    crowdedConstructors,
    file('apps/a/src/a.controller.ts', '@Controller() class A { constructor(a: A, b: B, c: C, d: D, e: E) {} }'),
    file('apps/a/src/a.ts', 'class A { constructor(a: A, b: B, c: C, d: D, e: E) {} }'),
  ],
  [
    'a fold reads no clock',
    bannedCalls,
    file('apps/projector/src/projections/a/a.ts', 'const now = Date.now();'),
    file('apps/projector/src/a.ts', 'const now = Date.now();'),
  ],
  [
    'a decider makes no date',
    bannedCalls,
    file('libs/domain/src/a.ts', 'const now = new Date();'),
    file('libs/domain/src/a.ts', 'new Date(at_ms)'),
  ],
  [
    'what goes out goes by the outbound door',
    bannedCalls,
    file('apps/gateway/src/a.ts', 'await fetch(url);'),
    file('libs/outbound/src/a.ts', 'await fetch(url);'),
  ],
  [
    'a decider draws no id',
    bannedCalls,
    file('libs/policy/src/a.ts', 'const id = randomUUID();'),
    file('libs/store/src/a.ts', 'randomUUID();'),
  ],
  ['a decider draws no number', bannedCalls, file('libs/domain/src/a.ts', 'Math.random()'), file('libs/domain/src/a.ts', 'Math.max(1, 2)')],
  [
    'the environment is read in config.ts and main.ts only',
    bannedCalls,
    file('apps/a/src/a.ts', 'const port = process.env.PORT;'),
    file('apps/a/src/config.ts', 'const port = process.env.PORT;'),
  ],
  [
    'only main.ts ends the process',
    bannedCalls,
    file('apps/a/src/a.ts', 'process.exit(1);'),
    file('apps/a/src/main.ts', 'process.exit(1);'),
  ],
  [
    'the product logs through its logger',
    bannedCalls,
    file('libs/a/src/a.ts', "console.log('x');"),
    file('apps/cli/src/a.ts', "console.log('x');"),
  ],
  [
    'no test is skipped or alone',
    bannedCalls,
    file('libs/a/src/a.spec.ts', `test.${'skip'}('a', f);`),
    file('libs/a/src/a.spec.ts', "test('a', f);"),
  ],
  [
    'there is no event bus beside the log',
    bannedDecorators,
    file('apps/a/src/a.ts', "class A { @OnEvent('x') f() {} }"),
    file('apps/a/src/a.ts', "class A { @OnTopic('x') f() {} }"),
  ],
  [
    'a repeating timer does not hold the process',
    heldTimers,
    file('apps/a/src/a.ts', 'setInterval(f, 1);'),
    file('apps/a/src/a.ts', 'setInterval(f, 1).unref();'),
  ],
  ['nothing is left for later', leftovers, file('libs/a/src/a.ts', `// ${'TO'}DO later`), file('libs/a/src/a.ts', '// done')],
  [
    'what must not compile is expected in specs only',
    leftovers,
    file('libs/a/src/a.ts', '// @ts-expect' + '-error a number is no text'),
    file('libs/a/src/a.spec.ts', '// @ts-expect' + '-error a number is no text'),
  ],
  [
    'a name is a standard term',
    retiredNames,
    file('libs/a/src/a.ts', `class Call${'Desk'} {}`),
    file('libs/a/src/a.ts', 'class CallRecorder {}'),
  ],
  [
    'the event of a log line is in snake_case',
    looseLogEvents,
    file('libs/a/src/a.ts', "this.logger.warn({ event: 'leaseLost' }, 'the lease was lost');"),
    file('libs/a/src/a.ts', "this.logger.warn({ event: 'lease_lost' }, 'the lease was lost');"),
  ],
  ['no folder is a layer', forbiddenNames, file('apps/a/src/services/a.ts', ''), file('apps/a/src/cases/a.ts', '')],
  ['no file is named after nothing', forbiddenNames, file('apps/a/src/utils.ts', ''), file('apps/a/src/cursor.ts', '')],
  [
    'the runner finds the mark of a slow spec',
    forbiddenNames,
    file('apps/a/src/thing.int.slow.spec.ts', ''),
    file('apps/a/src/thing.slow.int.spec.ts', ''),
  ],
  ['file names are kebab-case', forbiddenNames, file('apps/a/src/myThing.ts', ''), file('apps/a/src/my-thing.module.ts', '')],
  [
    'an index.ts below src is a registry, not a barrel',
    barrels,
    file('libs/a/src/b/index.ts', "export * from './c.js';"),
    file('libs/a/src/index.ts', "export * from './b/c.js';"),
  ],
  [
    'Nest stands at the edges',
    nestInside,
    file('apps/a/src/decide.ts', "import { Injectable } from '@nestjs/common';"),
    file('apps/a/src/a.module.ts', "import { Module } from '@nestjs/common';"),
  ],
  [
    'a refusal of a vague kind names its cause',
    vagueRefusals,
    file('apps/gateway/src/a.ts', "new Refusal('not-found', 'there is no case', { call_id });"),
    file('apps/gateway/src/a.ts', "new Refusal('not-found', 'there is no case', { reason: 'call_not_found' });"),
  ],
  [
    'the cause of a refusal is one of its kind',
    vagueRefusals,
    file('apps/gateway/src/a.ts', "new Refusal('conflict', 'there is no case', { reason: 'call_not_found' });"),
    file('apps/gateway/src/a.ts', "new Refusal('invalid-inputs', 'see the issues', { issues });"),
  ],
  [
    'calls know no HTTP',
    httpInside,
    file('libs/calls/src/a/a.ts', "import type { FastifyRequest } from 'fastify';"),
    file('apps/gateway/src/http/a.ts', "import type { FastifyRequest } from 'fastify';"),
  ],
  [
    'who says who a caller is knows no HTTP',
    httpInside,
    file('apps/gateway/src/identity/a.ts', "import type { Problem } from '../http/problem.js';"),
    file('apps/gateway/src/bounds/a.ts', "import type { Problem } from '../http/problem.js';"),
  ],
  [
    'a constructor takes no large bag of dependencies',
    bags,
    file('libs/a/src/a.ts', 'class A { constructor(parts: { a: A; b: B; c: C; d: D; e: E; f: F; g: G }) {} }'),
    file('libs/a/src/a.ts', 'class A { constructor(parts: { a: A; b: B; c: C; d: D; e: E; f: F }) {} }'),
  ],
  [
    'a bag of dependencies that another file declares is counted, and what a class picks of it',
    bags,
    file('libs/a/src/a.ts', "import type { OtherDeps } from './bag.js';\nclass A { constructor(deps: OtherDeps) {} }"),
    file('libs/a/src/a.ts', "import type { OtherDeps } from './bag.js';\nclass A { constructor(deps: Pick<OtherDeps, 'a' | 'b'>) {} }"),
  ],
  [
    'a bag of dependencies is counted by its name, too',
    bags,
    file('libs/a/src/a.ts', 'interface AParts { a: A; b: B; c: C; d: D; e: E; f: F; g: G }\nclass A { constructor(parts: AParts) {} }'),
    file('libs/a/src/a.ts', 'interface AFace { a: A; b: B; c: C; d: D; e: E; f: F; g: G }\nclass A { constructor(face: AFace) {} }'),
  ],
  [
    'rooms import as DESIGN says',
    imports,
    file('libs/domain/src/a.ts', "import type { Store } from '@countersign/store';"),
    file('libs/domain/src/a.ts', "import type { Meta } from '@countersign/contracts';"),
  ],
  [
    'apps do not import apps, except standalone',
    imports,
    file('apps/policy/src/a.ts', "import { x } from '@countersign/gateway';"),
    file('apps/standalone/src/a.ts', "import { x } from '@countersign/gateway';"),
  ],
  [
    'packs import the tool-kit only',
    imports,
    file('packs/git/src/a.ts', "import { x } from '@countersign/store';"),
    file('packs/git/src/a.ts', "import { x } from '@countersign/tool-kit';"),
  ],
  [
    'no path climbs out of its room',
    imports,
    file('apps/policy/src/a.ts', "import { x } from '../../../libs/domain/src/index.js';"),
    file('apps/policy/src/a/a.ts', "import { x } from '../b.js';"),
  ],
  [
    'a workspace lists what it imports',
    packages,
    file('libs/domain/src/a.ts', "import { z } from 'zod';"),
    file('libs/tool-kit/src/a.ts', "import { z } from 'zod';"),
  ],
];

describe('the shape of the code', () => {
  test.each(each)('%s: a planted fault is found, an innocent file is not', (_, check, planted, innocent) => {
    expect(check(planted)).toHaveLength(1);
    expect(check(innocent)).toEqual([]);
  });

  test('every workspace is read', () => {
    for (const { folder } of manifests)
      expect([folder, sources.some((source) => source.path.startsWith(`${folder}/src/`))]).toEqual([folder, true]);
    for (const folder of ['test', 'bench', 'scripts']) expect(sources.some((source) => source.path.startsWith(`${folder}/`))).toBe(true);
  });

  test.each([...new Map(each.map(([rule, check]) => [check, rule]))])('nothing of ours breaks a rule (%#)', (check) => {
    expect(text(sources.flatMap((source) => check(source)))).toEqual([]);
  });

  test('no files import values of each other in a ring', () => {
    const ring = [
      file('libs/a/src/a.ts', "import { b } from './b.js';\nexport const a = () => b;"),
      file('libs/a/src/b.ts', "import { a } from './a.js';\nexport const b = () => a;"),
    ];
    const typesOnly = [
      ring[0] as SourceText,
      file('libs/a/src/b.ts', "import { a } from './a.js';\nexport type B = typeof a;\nexport const b = 1;"),
    ];
    expect(valueCycles(ring.map(compiled))).toHaveLength(1);
    expect(valueCycles(typesOnly.map(compiled))).toEqual([]);
    const built = readCompiled(root, sources);
    expect(built.length).toBeGreaterThan(100);
    expect(text(valueCycles(built))).toEqual([]);
  });

  test('no folders import each other, types included', () => {
    const there = file('libs/a/src/b/b.ts', "import type { C } from '../c/c.js';");
    const back = (from: string) => file('libs/a/src/c/c.ts', `import { b } from '${from}';`);
    expect(folderCircles([there, back('../b/b.js')])).toHaveLength(1);
    expect(folderCircles([there, back('../d/d.js'), file('libs/a/src/d/d.ts', "import '../b/b.js';")])).toHaveLength(1);
    expect(folderCircles([there, back('./d.js'), file('libs/a/src/index.ts', "export * from './b/b.js';")])).toEqual([]);
    expect(text(folderCircles(sources))).toEqual([]);
  });

  test.each([
    ['apps/projector/src/projections', 'call/call.projection', 'call-history/call-history.projection'],
    ['libs/runtimes/src', 'child/child-runtime', 'child-two/runtime'],
    ['libs/policy/src/conditions', 'wrong.condition', 'wrong-purpose.condition'],
    ['packs/git/src', 'git-log/git-log', 'git-log-all/git-log-all'],
  ])('an item of %s that its index.ts does not list is found', (workspaceFolder, item, longer) => {
    const index = (name: string) => file(`${workspaceFolder}/index.ts`, `import { a } from './${name}.js';`);
    const itself = file(`${workspaceFolder}/${item}.ts`, '');
    expect(unlistedItems([index(item), itself])).toEqual([]);
    expect(unlistedItems([index(item), itself, file(`${workspaceFolder}/${longer}.ts`, '')])).toHaveLength(1);
    expect(unlistedItems([index(longer), itself])).toHaveLength(1);
    expect(unlistedItems([itself])).toHaveLength(1);
  });

  test('every item of a room is listed in its index.ts, and each room has items that would be missed', () => {
    expect(text(unlistedItems(sources))).toEqual([]);
    const packs = manifests.flatMap(({ folder }) => (folder.startsWith('packs/') ? [`${folder}/src`] : []));
    expect(packs).not.toEqual([]);
    for (const workspaceFolder of [...packs, 'apps/projector/src/projections', 'libs/runtimes/src', 'libs/policy/src/conditions']) {
      const missed = unlistedItems(sources.filter((source) => source.path !== `${workspaceFolder}/index.ts`));
      expect([workspaceFolder, missed.length > 0]).toEqual([workspaceFolder, true]);
    }
  });

  test('foundations stay light and every version is exact', () => {
    const heavy = { folder: 'libs/domain', name: 'domain', dependencies: { lodash: '4.17.21' } };
    const needing = (zod: string) => ({ folder: 'apps/a', name: 'a', dependencies: { zod } });
    const loose = ['^4.0.0', '~4.0.0', '4', '4.x', '4.0.0 || 5.0.0', '*', 'latest'];
    expect(heavyFoundations([heavy])).toHaveLength(1);
    expect(looseVersions(loose.map(needing))).toHaveLength(loose.length);
    expect(looseVersions(['4.0.0', '4.0.0-beta.1'].map(needing))).toEqual([]);
    expect(text([...heavyFoundations(manifests), ...looseVersions(manifests)])).toEqual([]);
  });
});
