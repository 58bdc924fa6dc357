import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pack } from './index.js';
import { ScratchRepository } from './scratch-repository.js';

let scratch: ScratchRepository;
let before: Record<string, unknown>;
beforeAll(() => {
  scratch = new ScratchRepository();
  scratch.make();
  scratch.fill({ 'a.txt': 'changed\n' });
  symlinkSync(scratch.outside, join(scratch.root, 'link'));
  mkdirSync(join(scratch.root, 'gitfile'));
  writeFileSync(join(scratch.root, 'gitfile/.git'), `gitdir: ${scratch.remote}\n`);
  mkdirSync(join(scratch.root, 'plain'));
});
beforeEach(() => {
  before = scratch.snapshot();
});
afterAll(() => scratch.remove());

const repo = 'app';
const work = 'agent/case-1/work';
const pwned = () => `${scratch.outside}/pwned`;
const nul = String.fromCharCode(0);

/** Texts that git, a shell, or a ref parser would interpret. */
const injections = (): string[] => [
  `--upload-pack=touch ${pwned()}`,
  `--receive-pack=touch ${pwned()}`,
  `--exec=touch ${pwned()}`,
  `-u touch ${pwned()}`,
  `--output=${pwned()}`,
  `-O${pwned()}`,
  `--git-dir=${scratch.remote}`,
  '--work-tree=/',
  `-c core.sshCommand=touch ${pwned()}`,
  '--config-env=a=b',
  '--no-index',
  '--ext-diff',
  '--textconv',
  '--all',
  '--force',
  '-f',
  '-d',
  '-D',
  '--delete',
  '--mirror',
  '--amend',
  '--hard',
  '-',
  '--',
  '---',
  `--template=${scratch.outside}`,
  '--super-prefix=x',
  '--end-of-options',
  '-C/',
  `ext::sh -c "touch ${pwned()}"`,
  `fd::17/foo`,
  `file://${scratch.remote}`,
  `${scratch.remote}`,
  'https://evil.example/x.git',
  'git@evil.example:x',
  'ssh://-oProxyCommand=touch/x',
  `$(touch ${pwned()})`,
  `\`touch ${pwned()}\``,
  `; touch ${pwned()}`,
  `| touch ${pwned()}`,
  `&& touch ${pwned()}`,
  `\ntouch ${pwned()}`,
  `x${nul}y`,
  'HEAD\n--all',
  ':(exclude)*',
  ':/',
  ':!x',
  'HEAD:../outside',
  'main..agent/case-1/work',
  '@{-1}',
  'HEAD@{upstream}',
  '^main',
  '+main',
  'main:main',
  `refs/heads/main`,
  '../../etc/passwd',
  '/etc/passwd',
  '.git/config',
  '.GIT/config',
  '.git/hooks/pre-commit',
  'a\\b',
  '..',
  '',
  ' ',
  '\ud800',
  'x'.repeat(5_000),
];
/** Names that a branch of the case could have, except for what follows the prefix. */
const branches = (): string[] => [
  'main',
  'master',
  'release/1.0',
  'agent',
  'agent/',
  'agent/case-1',
  'agent/case-1/',
  'agent/case-2/x',
  'Agent/case-1/x',
  'agent/case-1/../../main',
  'agent/case-1/..',
  'agent/case-1//x',
  'agent/case-1/.x',
  'agent/case-1/x.lock',
  'agent/case-1/x.',
  'agent/case-1/-x',
  'agent/case-1/x y',
  'agent/case-1/x~1',
  'agent/case-1/x^',
  'agent/case-1/x:y',
  'agent/case-1/x?',
  'agent/case-1/x*',
  'agent/case-1/x[',
  'agent/case-1/@{x',
  'agent/case-1/x\\y',
  `agent/case-1/x${nul}`,
  'agent/case-1/x\n',
  'refs/heads/agent/case-1/work',
  'heads/agent/case-1/work',
  '@',
  'HEAD',
  `agent/case-1/${'x'.repeat(300)}`,
  ...injections(),
];
const repositories = (): string[] => [
  'link',
  'gitfile',
  'plain',
  'nowhere',
  '..',
  '../remote.git',
  'app/..',
  'app/.git',
  '/',
  scratch.repo,
  'app/dir',
  ...injections(),
];

let head: string | undefined;
/** Creates a commit; no test of injections moves the branch. */
const commit = () => {
  head ??= scratch.head(work);
  return head;
};
const fields: [string, () => string[], (text: string) => Record<string, unknown>][] = [
  ['git_blame path', injections, (path) => ({ path })],
  [
    'git_blame revision',
    () => injections().filter((text) => text !== 'refs/heads/main' && !text.startsWith('@')),
    (revision) => ({ path: 'a.txt', revision }),
  ],
  ['git_branch branch', branches, (branch) => ({ action: 'create', branch })],
  ['git_branch branch', branches, (branch) => ({ action: 'delete', branch })],
  [
    'git_branch from',
    () => injections().filter((text) => text !== 'refs/heads/main' && !text.startsWith('@')),
    (from) => ({ action: 'create', branch: 'agent/case-1/x', from }),
  ],
  ['git_branches repo', repositories, (path) => ({ repo: path })],
  ['git_checkout branch', branches, (branch) => ({ branch })],
  ['git_commit branch', branches, (branch) => ({ branch, message: 'x' })],
  ['git_commit paths', injections, (path) => ({ branch: work, message: 'x', paths: [path] })],
  ['git_commit repo', repositories, (path) => ({ repo: path, branch: work, message: 'x' })],
  ['git_diff from', () => injections().filter((text) => text !== 'refs/heads/main' && !text.startsWith('@')), (from) => ({ from })],
  [
    'git_log revision',
    () => injections().filter((text) => text !== 'refs/heads/main' && !text.startsWith('@')),
    (revision) => ({ revision }),
  ],
  ['git_merge branch', branches, (branch) => ({ branch, revision: 'main' })],
  [
    'git_merge revision',
    () => injections().filter((text) => text !== 'refs/heads/main' && !text.startsWith('@')),
    (revision) => ({ branch: work, revision }),
  ],
  ['git_push branch', branches, (branch) => ({ remote: 'origin', branch, commit: commit() })],
  ['git_push remote', injections, (remote) => ({ remote, branch: work, commit: commit() })],
  ['git_push commit', injections, (text) => ({ remote: 'origin', branch: work, commit: text })],
  ['git_status repo', repositories, (path) => ({ repo: path })],
];

const attempt = (name: string, input: Record<string, unknown>, overrides = {}) => {
  const tool = pack.tools.find(({ contract }) => contract.name === name)!;
  return tool.run({ repo, ...input } as never, scratch.context(overrides)).catch((error: unknown) => error);
};

describe.each(fields)('%s', (field, corpus, input) => {
  test('refuses every injection, runs nothing and changes nothing', async () => {
    const texts = corpus();
    expect(texts.length).toBeGreaterThanOrEqual(30);
    for (const text of texts) {
      const outcome = await attempt(field.split(' ')[0]!, input(text));
      expect({ text, outcome }).toMatchObject({ text, outcome: { countersign_tool_error: true, more: { effect: 'none' } } });
    }
    expect(scratch.snapshot()).toEqual(before);
  });
});

test('paths of a diff are literal: an injection matches nothing and writes nothing', async () => {
  for (const path of injections()) {
    const outcome = await attempt('git_diff', { paths: [path] });
    if (outcome instanceof Error) expect(outcome).toMatchObject({ countersign_tool_error: true, more: { effect: 'none' } });
    else expect(outcome).toMatchObject({ diff: '', files: [] });
  }
  expect(scratch.snapshot()).toEqual(before);
});

test('a message is text, whatever it looks like', async () => {
  const messages = injections().filter((text) => text.trim() !== '' && text.length < 1_000 && !text.includes(nul) && text !== '\ud800');
  for (const message of messages.slice(0, 40)) {
    scratch.fill({ 'count.txt': `${Math.random()}` });
    const outcome = await attempt('git_commit', { branch: work, message, paths: ['count.txt'] });
    expect(outcome).toMatchObject({ branch: work });
    expect(scratch.git(scratch.repo, 'log', '-1', '--format=%B')).toContain(message.trim());
  }
  expect(scratch.snapshot()).toMatchObject({ outside: before.outside, remote: before.remote, config: before.config });
});

test('a call without a case, of another case, or on a protected branch writes nothing', async () => {
  expect(await attempt('git_branch', { action: 'create', branch: 'agent/x' }, { case_id: null })).toMatchObject({
    more: { details: { reason: 'no_case' } },
  });
  expect(await attempt('git_checkout', { branch: work }, { case_id: 'case-2' })).toMatchObject({
    more: { details: { reason: 'not_an_agent_branch' } },
  });
  const settings = { ...scratch.settings, COUNTERSIGN_GIT_PROTECTED: 'agent/case-1/*' };
  expect(await attempt('git_commit', { branch: work, message: 'x' }, { settings })).toMatchObject({
    more: { details: { reason: 'protected' } },
  });
  expect(scratch.snapshot()).toEqual(before);
});

test('a case id cannot reach into the branches of another case', async () => {
  const branch = 'agent/case-2%2F%2E%2E%2Fcase-1/x';
  expect(await attempt('git_branch', { action: 'create', branch }, { case_id: 'case-2/../case-1' })).toMatchObject({ branch });
  expect(await attempt('git_branch', { action: 'delete', branch }, { case_id: 'case-1' })).toMatchObject({
    more: { details: { reason: 'not_an_agent_branch' } },
  });
});
