import { appendFileSync, chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pack } from './index.js';
import { ScratchRepository } from './scratch-repository.js';

const repo = 'app';
const branch = 'agent/case-1/work';
const other = 'agent/case-1/other';
let scratch: ScratchRepository;
let canary: string;
let marks: string;
beforeEach(() => {
  scratch = new ScratchRepository();
  scratch.make();
  // Both sides of the merge change the file, so that git has to merge its text.
  scratch.git(scratch.repo, 'switch', '--quiet', other);
  scratch.commit({ 'a.txt': 'zero\none\ntwo\n' }, 'Other');
  scratch.git(scratch.repo, 'switch', '--quiet', branch);
  marks = join(scratch.top, 'marks');
  mkdirSync(marks);
  canary = join(scratch.top, 'canary.sh');
  // The name of the file that it creates shows how it was started.
  writeFileSync(canary, `#!/bin/sh\ntouch "${marks}/$1"\ncase "$1" in clean|smudge) exec cat ;; esac\n`);
  chmodSync(canary, 0o755);
});
afterEach(() => scratch.remove());

const config = (text: string, folder = join(scratch.repo, '.git')) => appendFileSync(join(folder, 'config'), `${text}\n`);
const run = (tool: string, input: Record<string, unknown> = {}): Promise<unknown> => {
  const found = pack.tools.find(({ contract }) => contract.name === tool);
  return found?.run({ repo, ...input } as never, scratch.context()) as Promise<unknown>;
};
const push = () => ({ remote: 'origin', branch, commit: scratch.head(branch) });
/** Gives the file other times than in the index, so that git reads it. */
const stale = (path: string) => utimesSync(join(scratch.repo, path), 1, 1);

/** Runs every tool on a repository in which each has something to do; their outputs are asserted elsewhere. */
async function everyTool(): Promise<void> {
  scratch.fill({ 'a.txt': 'changed\n', 'new.txt': 'new\n' });
  stale('dir/b.txt');
  const calls: [string, Record<string, unknown>][] = [
    ['git_status', {}],
    ['git_diff', {}],
    ['git_diff', { from: 'main', to: other }],
    ['git_diff', { staged: true, from: 'main' }],
    ['git_log', { path: 'a.txt' }],
    ['git_blame', { path: 'a.txt' }],
    ['git_branches', {}],
    ['git_branch', { action: 'create', branch: 'agent/case-1/new', from: 'main' }],
    ['git_commit', { branch, message: 'Work', paths: ['a.txt', 'new.txt'] }],
    ['git_checkout', { branch: other }],
    ['git_merge', { branch: other, revision: 'main' }],
    ['git_checkout', { branch }],
    ['git_merge', { branch, revision: 'agent/case-1/new' }],
    ['git_push', push()],
  ];
  expect(new Set(calls.map(([tool]) => tool))).toEqual(new Set(pack.tools.map(({ contract }) => contract.name)));
  for (const [tool, input] of calls) await run(tool, input).catch(() => undefined);
}
const started = () => readdirSync(marks).sort();

describe('programs in the configuration of a repository never run', () => {
  test('the canary itself would run', () => {
    config(`[filter "x"]\n\tclean = ${canary} clean\n`);
    writeFileSync(join(scratch.repo, '.gitattributes'), '* filter=x\n');
    scratch.fill({ 'a.txt': 'changed\n' });
    scratch.git(scratch.repo, 'add', 'a.txt');
    expect(started()).toEqual(['clean']);
  });

  const sections: [title: string, text: string, attributes: string][] = [
    ['filters', '[filter "x"]\n\tclean = CANARY clean\n\tsmudge = CANARY smudge\n\trequired = true', '* filter=x'],
    ['a filter process', '[filter "x"]\n\tprocess = CANARY process\n\trequired = true', '* filter=x'],
    ['a filter with an equals sign in its name', '[filter "a=b"]\n\tclean = CANARY clean\n\tsmudge = CANARY smudge', '* filter=a=b'],
    ['a filter in another case', '[FiLtEr "X.y"]\n\tCLEAN = CANARY clean\n\tSmudge = CANARY smudge', '* filter=X.y'],
    ['diff drivers', '[diff "x"]\n\tcommand = CANARY command\n\ttextconv = CANARY textconv\n\tcachetextconv = true', '* diff=x'],
    ['an external diff', '[diff]\n\texternal = CANARY external', ''],
    ['merge drivers', '[merge "x"]\n\tdriver = CANARY driver %A', '* merge=x'],
    ['the default merge driver', '[merge]\n\tdefault = x\n\trenormalize = true\n[merge "x"]\n\tdriver = CANARY driver %A', ''],
    [
      'pager, editor and questions',
      '[core]\n\tpager = CANARY pager\n\teditor = CANARY editor\n\taskPass = CANARY askpass\n[pager]\n\tlog = CANARY log',
      '',
    ],
    [
      'fsmonitor and hooks',
      '[core]\n\tfsmonitor = CANARY fsmonitor\n[hook "x"]\n\tcommand = CANARY hook\n\tevent = reference-transaction',
      '',
    ],
    [
      'signatures',
      '[commit]\n\tgpgSign = true\n[push]\n\tgpgSign = if-asked\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = CANARY gpg',
      '',
    ],
    [
      'the programs of a remote',
      '[remote "origin"]\n\tuploadpack = CANARY upload\n\treceivepack = CANARY receive\n[push]\n\tnegotiate = true',
      '',
    ],
    ['aliases', '[alias]\n\tstatus = !CANARY alias\n\tdiff-index = !CANARY alias', ''],
    ['alternate refs', '[core]\n\talternateRefsCommand = CANARY refs', ''],
  ];
  test.each(sections)('%s', async (_title, text, attributes) => {
    if (attributes !== '') scratch.fill({ '.gitattributes': `${attributes}\n` });
    config(text.replaceAll('= CANARY', `= ${canary}`).replaceAll('!CANARY', `!${canary}`));
    await everyTool();
    expect(started()).toEqual([]);
  });

  test('hooks in the repository', async () => {
    for (const hook of ['pre-commit', 'post-checkout', 'reference-transaction', 'post-index-change', 'pre-push', 'post-merge']) {
      writeFileSync(join(scratch.repo, '.git/hooks', hook), readFileSync(canary, 'utf8').replace('$1', hook), { mode: 0o755 });
    }
    await everyTool();
    expect(started()).toEqual([]);
  });

  test('a tool that reads does not fetch a missing object of a partial clone', async () => {
    config(
      `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n\tuploadpack = ${canary} upload`,
    );
    const blob = scratch.head('main:a.txt');
    rmSync(join(scratch.repo, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    await everyTool();
    expect(started()).toEqual([]);
  });
});

describe('files with a filter of the repository', () => {
  beforeEach(() => {
    config(`[filter "crypt"]\n\tclean = ${canary} clean\n\tsmudge = ${canary} smudge\n\trequired = true`);
    scratch.fill({ '.gitattributes': '*.txt filter=crypt\n', 'a.txt': 'one\ntwo\nchanged\n', 'b.md': 'plain\n' });
  });

  test('are read unfiltered', async () => {
    expect(await run('git_diff')).toMatchObject({ diff: expect.stringContaining('-three\n+changed') });
    expect(await run('git_status')).toMatchObject({ entries: expect.arrayContaining([expect.objectContaining({ path: 'a.txt' })]) });
  });

  test('are not committed, because their filter would not run; other files are', async () => {
    const before = scratch.head(branch);
    const refusal = { code: 'PROVIDER_ERROR', more: { effect: 'none', details: { reason: 'filter', files: ['a.txt'] } } };
    await expect(run('git_commit', { branch, message: 'All' })).rejects.toMatchObject(refusal);
    expect(scratch.head(branch)).toBe(before);
    expect(await run('git_commit', { branch, message: 'Plain', paths: ['b.md'] })).toMatchObject({ files: 1 });
    expect(started()).toEqual([]);
  });
});

test('a merge that needs a driver is a conflict', async () => {
  config(`[merge "x"]\n\tdriver = ${canary} driver`);
  scratch.fill({ '.gitattributes': '*.txt merge=x\n' });
  await run('git_checkout', { branch: other });
  const before = scratch.head(other);
  const refusal = { more: { effect: 'none', details: { reason: 'merge_conflict', files: ['a.txt'] } } };
  await expect(run('git_merge', { branch: other, revision: 'main' })).rejects.toMatchObject(refusal);
  expect(scratch.head(other)).toBe(before);
});

describe('a configuration that cannot be disabled is refused', () => {
  const refusal = (reason: string) => ({ code: 'VALIDATION_ERROR', more: { effect: 'none', details: { path: '/repo', reason } } });

  test.each(['[include]\n\tpath = ../.gitconfig', '[includeIf "onbranch:agent/**"]\n\tpath = /nowhere'])('%s', async (text) => {
    config(text);
    scratch.fill({ '.gitconfig': `[core]\n\tfsmonitor = ${canary} fsmonitor\n` });
    for (const tool of ['git_status', 'git_log', 'git_diff', 'git_branches'])
      await expect(run(tool)).rejects.toMatchObject(refusal('include'));
    await expect(run('git_commit', { branch, message: 'x' })).rejects.toMatchObject(refusal('include'));
    expect(started()).toEqual([]);
  });

  test('more drivers than a command line safely holds are refused', async () => {
    config(Array.from({ length: 200 }, (_, n) => `[filter "f${n}"]\n\tclean = ${canary} clean`).join('\n'));
    await expect(run('git_status')).rejects.toMatchObject(refusal('too_many_drivers'));
  });
});

describe('a remote in the workspace', () => {
  const refusal = { code: 'VALIDATION_ERROR', more: { effect: 'none', details: { path: '/remote', reason: 'in_workspace' } } };
  const mirror = () => join(scratch.root, 'mirror.git');
  /** Files that an agent can write and that git would run when it receives a push. */
  const writeTraps = () => {
    config(`[core]\n\talternateRefsCommand = ${canary} refs;`, mirror());
    writeFileSync(join(mirror(), 'objects/info/alternates'), `${join(scratch.repo, '.git/objects')}\n`);
  };
  beforeEach(() => {
    cpSync(scratch.remote, mirror(), { recursive: true });
    scratch.git(scratch.repo, 'remote', 'set-url', 'origin', '../mirror.git');
  });

  test('is refused if git would run files that agents write as its configuration', () => {
    writeTraps();
    scratch.git(scratch.repo, 'push', '--quiet', 'origin', branch);
    expect(started()).toEqual(['refs']);
  });

  test.each(['../mirror.git', 'absolute', 'file'])('is refused (%s), and nothing of it runs', async (kind) => {
    const address = { absolute: mirror(), file: `file://${mirror().replace('mirror', 'm%69rror')}` }[kind] ?? kind;
    scratch.git(scratch.repo, 'remote', 'set-url', 'origin', address);
    writeTraps();
    await expect(run('git_push', push())).rejects.toMatchObject(refusal);
    expect(started()).toEqual([]);
  });

  test('is accepted if its repository is a .git folder, which no tool writes', async () => {
    scratch.git(scratch.root, 'clone', '--quiet', scratch.remote, 'clone');
    scratch.git(scratch.repo, 'remote', 'set-url', 'origin', '../clone');
    expect(await run('git_push', push())).toMatchObject({ branch });
  });
});
