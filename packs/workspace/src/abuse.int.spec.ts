import { execFileSync } from 'node:child_process';
import { link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pack } from './index.js';
import { ScratchWorkspace } from './scratch-workspace.js';

let scratch: ScratchWorkspace;
beforeEach(async () => {
  scratch = new ScratchWorkspace();
  await scratch.fill({ 'a.txt': 'inside', 'dir/b.txt': 'inside', '.git/config': '[core]', '.countersign-trash/receipts/x': 'ours' });
  await symlink(scratch.outside, join(scratch.root, 'out'));
  await symlink(join(scratch.outside, 'secret.txt'), join(scratch.root, 'secret-link'));
  await symlink('a.txt', join(scratch.root, 'inner-link'));
  await symlink('loop', join(scratch.root, 'loop'));
  await symlink(join(scratch.outside, 'made-by-dangling'), join(scratch.root, 'dangling'));
  execFileSync('mkfifo', [join(scratch.root, 'fifo')]);
});
afterEach(() => scratch.remove());

const nul = String.fromCharCode(0);
const corpus = [
  '..',
  '../outside/secret.txt',
  '../../etc/passwd',
  'dir/../../outside/secret.txt',
  './../outside/secret.txt',
  'dir/../a.txt',
  '/etc/passwd',
  '//etc/passwd',
  '/proc/self/environ',
  '/dev/zero',
  'file:///etc/passwd/..',
  '~/../../etc/passwd/..',
  'out/secret.txt',
  'out',
  'out/new.txt',
  'secret-link',
  'inner-link',
  'loop',
  'loop/x',
  'dangling',
  'dir/../out/secret.txt',
  `a.txt${nul}.png`,
  `..${nul}/x`,
  'a.txt\n',
  'a\r\nSet-Cookie: x',
  'a\u001b[2J',
  'a\u0085b',
  '..\\outside\\secret.txt',
  '..\\..\\windows',
  'C:\\Windows\\win.ini',
  'a.txt ',
  ' a.txt',
  'dir /b.txt',
  'dir/ ',
  '...  /x',
  `${'x'.repeat(256)}`,
  'x/'.repeat(60),
  'y'.repeat(5_000),
  '',
  '\ud800',
  '.git/config',
  '.GIT/config',
  '.git',
  '.git./config',
  '.g\u200cit/config',
  'git~1/config',
  '.git::$INDEX_ALLOCATION/config',
  'dir/.git/hooks/x',
  '.ｇit/config',
  '.countersign-trash/receipts/x',
  '.Countersign-Trash/x',
  '.countersign/keys.json',
  'fifo',
  'dir',
];
const literal = [
  '%2e%2e%2foutside',
  '..%2foutside',
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned',
  '| cat',
  '--help',
  '-rf',
  '*',
  '?',
  '[a-z]',
  '{a,b}',
  "'; DROP TABLE x; --",
  '$HOME',
  '%00',
  'a"b',
  '…',
  '..;',
  'CON',
  'aux.txt',
  '．．',
  '‥',
];

const uses: Record<string, (path: string) => Record<string, unknown>> = {
  delete_file: (path) => ({ path }),
  file_diff: (path) => ({ path, content: 'x' }),
  file_metadata: (path) => ({ path }),
  list_directory: (path) => ({ path, recursive: true }),
  'move_file from': (source) => ({ source, destination: 'moved.txt' }),
  'move_file to': (destination) => ({ source: 'a.txt', destination }),
  read_file: (path) => ({ path }),
  search_content: (path) => ({ query: 'canary', path }),
  search_files: (path) => ({ pattern: '**', path }),
  'write_file create': (path) => ({ path, content: 'pwned', mode: 'create' }),
  'write_file overwrite': (path) => ({ path, content: 'pwned', mode: 'overwrite' }),
  'write_file append': (path) => ({ path, content: 'pwned', mode: 'append' }),
};
const toolOf = (use: string) => pack.tools.find(({ contract }) => contract.name === use.split(' ')[0])!;
const attempt = (use: string, path: string) => toolOf(use).run(uses[use]!(path) as never, scratch.context());
const everything = () => ({ inside: scratch.snapshot(), outside: scratch.snapshot(scratch.outside) });

describe.each(Object.keys(uses))('%s', (use) => {
  test(`refuses each of ${corpus.length} paths that lead elsewhere, and changes nothing anywhere`, async () => {
    const before = everything();
    const folders = ['list_directory', 'search_files', 'search_content'].includes(use);
    for (const path of corpus) {
      if (path === 'dir' && (folders || use === 'file_metadata')) continue;
      if (path === 'fifo' && use === 'file_metadata') continue;
      const outcome = await attempt(use, path).catch((error: unknown) => error);
      expect({ path, outcome }).toMatchObject({
        path,
        outcome: { countersign_tool_error: true, code: 'VALIDATION_ERROR', more: { effect: 'none' } },
      });
    }
    expect(everything()).toEqual(before);
  });

  test(`accepts each of ${literal.length} names literally`, async () => {
    for (const path of literal) {
      const outcome = await attempt(use, path).catch((error: unknown) => error);
      const writes = use.startsWith('write_file');
      if (writes) expect(outcome).toMatchObject({ path });
      else if (use !== 'move_file to') expect(outcome).toMatchObject({ code: 'VALIDATION_ERROR', more: { class: 'not_found' } });
      if (writes) expect(Object.keys(scratch.snapshot())).toContain(path);
    }
    expect(Object.keys(scratch.snapshot())).not.toContain('pwned');
    expect(scratch.snapshot(scratch.outside)).toEqual({ 'secret.txt': expect.any(String) });
  });
});

test('listing and searching do not follow links or show reserved names', async () => {
  const list = (await attempt('list_directory', '.')) as { entries: { path: string; type: string }[] };
  expect(list.entries.map(({ path }) => path)).toEqual([
    'a.txt',
    'dangling',
    'dir',
    'dir/b.txt',
    'fifo',
    'inner-link',
    'loop',
    'out',
    'secret-link',
  ]);
  expect(await attempt('search_content', '.')).toMatchObject({ matches: [] });
  const found = (await attempt('search_files', '.')) as { files: { path: string }[] };
  expect(found.files.map(({ path }) => path)).toEqual(['a.txt', 'dir/b.txt']);
});

test('names that are not UTF-8 are listed and searched, in a form that no tool accepts as a path', async () => {
  const bytes = (...parts: (string | number)[]) =>
    Buffer.concat([
      Buffer.from(`${scratch.root}/`),
      ...parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part))),
    ]);
  await writeFile(bytes('caf', 0xe9, '.txt'), 'canary');
  await mkdir(bytes('d', 0xff));
  await writeFile(bytes('d', 0xff, '/plain.txt'), 'canary in a folder');
  const { entries } = (await attempt('list_directory', '.')) as { entries: object[] };
  const odd = ['caf\\xe9.txt', 'd\\xff', 'd\\xff/plain.txt'];
  expect(entries).toEqual(expect.arrayContaining([expect.objectContaining({ path: odd[0], type: 'file', size_bytes: 6 })]));
  expect(entries).toEqual(expect.arrayContaining([expect.objectContaining({ path: odd[2], type: 'file' })]));
  expect(await toolOf('search_files').run({ pattern: '**/*.txt' } as never, scratch.context())).toMatchObject({
    files: ['a.txt', odd[0], odd[2], 'dir/b.txt'].map((path) => ({ path })),
    searched: 4,
  });
  expect(await attempt('search_content', '.')).toMatchObject({
    matches: [
      { path: odd[0], text: 'canary' },
      { path: odd[2], text: 'canary in a folder' },
    ],
    skipped: { unreadable: 0 },
  });
  for (const use of Object.keys(uses))
    for (const path of odd) await expect(attempt(use, path)).rejects.toMatchObject({ more: { details: { reason: 'backslash' } } });
});

test('a folder that is constantly swapped for a link never leads a write or read outside', async () => {
  const [dir, aside] = [join(scratch.root, 'dir'), join(scratch.root, 'aside')];
  const swapped = scratch.outside;
  const done = [() => true, () => false] as const;
  let stop = false;
  let swaps = 0;
  const swapping = (async () => {
    while (!stop) {
      await rename(dir, aside);
      // A write may have created the missing folder again meanwhile.
      while (!(await symlink(swapped, dir).then(...done))) await rm(dir, { recursive: true, force: true });
      await rm(dir);
      while (!(await rename(aside, dir).then(...done))) await rm(dir, { recursive: true, force: true });
      swaps++;
    }
  })();
  let written = 0;
  for (let n = 0; n < 150; n++) {
    const outcomes = await Promise.allSettled([
      toolOf('write_file').run({ path: `dir/f${n}.txt`, content: 'x', mode: 'create' } as never, scratch.context()),
      toolOf('read_file').run({ path: 'dir/secret.txt' } as never, scratch.context()),
    ]);
    if (outcomes[0]?.status === 'fulfilled') written++;
    expect(outcomes[1]?.status).toBe('rejected');
  }
  stop = true;
  await swapping;
  expect(swaps).toBeGreaterThan(10);
  expect(written).toBeGreaterThan(0);
  expect(scratch.snapshot(scratch.outside)).toEqual({ 'secret.txt': expect.any(String) });
});

test('an overwrite does not reach through a hard link, and an append through one is refused', async () => {
  await link(join(scratch.outside, 'secret.txt'), join(scratch.root, 'hard'));
  const before = scratch.snapshot(scratch.outside);
  await attempt('write_file overwrite', 'hard');
  expect(scratch.snapshot(scratch.outside)).toEqual(before);
  await link(join(scratch.outside, 'secret.txt'), join(scratch.root, 'hard2'));
  await expect(attempt('write_file append', 'hard2')).rejects.toMatchObject({ more: { details: { reason: 'hard_link' }, effect: 'none' } });
  expect(scratch.snapshot(scratch.outside)).toEqual(before);
});

test('a planted link in place of the trash is not used', async () => {
  await rm(join(scratch.root, '.countersign-trash'), { recursive: true });
  await symlink(scratch.outside, join(scratch.root, '.countersign-trash'));
  const before = everything();
  await expect(attempt('delete_file', 'a.txt')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(attempt('write_file create', 'new.txt')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(everything()).toEqual(before);
});

test('a name in another Unicode form is refused for writes, so that one key is one file', async () => {
  const decomposed = 'é.txt'.normalize('NFD');
  await expect(attempt('write_file create', decomposed)).rejects.toMatchObject({ more: { details: { reason: 'not_nfc' } } });
  await writeFile(join(scratch.root, decomposed), 'from a Mac');
  expect(await attempt('read_file', decomposed)).toMatchObject({ content: 'from a Mac' });
});

test('without a setting nothing is done, and a missing root is created', async () => {
  const tool = toolOf('list_directory');
  await expect(tool.run({} as never, scratch.context({ settings: {} }))).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    more: { effect: 'none' },
  });
  await mkdir(join(scratch.top, 'x'));
  const settings = { COUNTERSIGN_WORKSPACE_ROOT: join(scratch.top, 'x/y') };
  expect(await tool.run({} as never, scratch.context({ settings }))).toMatchObject({ entries: [] });
});

describe('a pattern of a caller', () => {
  const evil = ['(a+)+$', '(a|a)*$', '([a-zA-Z]+)*$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$'];
  const search = (inputs: object) => toolOf('search_content').run(inputs as never, scratch.context());

  test.each(evil)('%s takes a backtracking engine for ever, and has its answer here', async (query) => {
    await writeFile(join(scratch.root, 'long.txt'), `${'a'.repeat(60)}!`);
    expect(await search({ query, regex: true, path: '.', files: 'long.txt' })).toMatchObject({ searched: 1 });
  });

  test('as a glob with many stars gets its result, too', async () => {
    await writeFile(join(scratch.root, 'a'.repeat(200)), 'x');
    const pattern = `${'*a'.repeat(60)}b`;
    expect(await toolOf('search_files').run({ pattern } as never, scratch.context())).toMatchObject({ files: [] });
  });

  test.each([
    ['(', 'not_a_pattern', '('],
    ['(?=a)', 'lookaround', '(?='],
    ['(a)\\1', 'backreference', '\\1'],
    ['(a{1,1000}){1,1000}', 'too_large', '(a{1,1000}){1,1000}'],
  ])('%s is refused as %s, before anything is searched', async (query, reason, found) => {
    await expect(search({ query, regex: true })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      more: { class: 'validation', details: { path: '/query', reason, found }, effect: 'none' },
    });
    expect(await search({ query, path: 'dir' })).toMatchObject({ matches: [], searched: 1 });
  });
});
