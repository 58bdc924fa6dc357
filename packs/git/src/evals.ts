import type { ContractTestOptions, EvalPacks, Golden, ResourceStates } from '@countersign/tool-kit/eval-pack';
import { expect } from '@countersign/tool-kit/expect';
import { ScratchRepository } from './scratch-repository.js';

let scratch: ScratchRepository;
const repo = 'app';
const work = 'agent/case-1/work';

/** Inputs with an id of the current repository are filled in on use. */
const withHead = (input: Record<string, unknown>): Record<string, unknown> => ({
  ...input,
  get commit() {
    return scratch.head(work);
  },
});

const golden: Record<string, [Golden, ...Golden[]]> = {
  git_blame: [
    {
      title: 'a file',
      input: { repo, path: 'a.txt', start_line: 2 },
      expects: (o) =>
        expect(o).toMatchObject({
          lines: [
            { line: 2, text: 'two', author_name: 'Olga Owner' },
            { line: 3, text: 'three' },
          ],
          truncated: false,
        }),
    },
  ],
  git_branch: [
    { title: 'create', input: { repo, action: 'create', branch: 'agent/case-1/new' } },
    { title: 'create at a revision', input: { repo, action: 'create', branch: 'agent/case-1/new', from: 'main~1' } },
    { title: 'delete', input: { repo, action: 'delete', branch: 'agent/case-1/other' } },
  ],
  git_branches: [
    {
      title: 'all',
      input: { repo },
      expects: (o) =>
        expect(o).toMatchObject({ current: work, branches: [{ name: 'agent/case-1/other' }, { name: work }, { name: 'main' }] }),
    },
  ],
  git_checkout: [{ title: 'another branch of the case', input: { repo, branch: 'agent/case-1/other' } }],
  git_commit: [
    {
      title: 'everything',
      input: { repo, branch: work, message: 'Third\n\nWith a body.' },
      expects: (o) => expect(o).toMatchObject({ files: 2 }),
    },
    {
      title: 'one path',
      input: { repo, branch: work, message: 'Third', paths: ['dir'] },
      expects: (o) => expect(o).toMatchObject({ files: 1 }),
    },
  ],
  git_diff: [
    {
      title: 'the working tree',
      input: { repo },
      expects: (o) => expect(o).toMatchObject({ files: [{ path: 'a.txt', added: 1, removed: 0 }] }),
    },
    {
      title: 'two commits',
      input: { repo, from: 'HEAD~1', to: 'HEAD', paths: ['a.txt'] },
      expects: (o) => expect(JSON.stringify(o)).toContain('+three'),
    },
  ],
  git_log: [
    {
      title: 'two commits',
      input: { repo },
      expects: (o) => expect(o).toMatchObject({ commits: [{ subject: 'Second' }, { subject: 'First', parents: [] }] }),
    },
    {
      title: 'of one path',
      input: { repo, path: 'dir/b.txt', limit: 1 },
      expects: (o) => expect(o).toMatchObject({ commits: [{ subject: 'First' }] }),
    },
  ],
  git_merge: [{ title: 'a revision', input: { repo, branch: 'agent/case-1/other', revision: 'main' } }],
  git_push: [{ title: 'a new branch', input: withHead({ repo, remote: 'origin', branch: work }) }],
  git_status: [
    {
      title: 'two changes',
      input: { repo },
      expects: (o) =>
        expect(o).toMatchObject({
          branch: work,
          clean: false,
          entries: [
            { path: 'a.txt', unstaged: 'M' },
            { path: 'dir/new.txt', unstaged: '?' },
          ],
        }),
    },
  ],
};

const states: Record<string, ResourceStates[]> = {
  git_branch: [
    {
      title: 'a branch that is made, deleted and made',
      a: { repo, action: 'create', branch: 'agent/case-1/new' },
      b: { repo, action: 'delete', branch: 'agent/case-1/new' },
    },
    {
      title: 'a branch that is deleted, made and deleted',
      a: { repo, action: 'delete', branch: 'agent/case-1/other' },
      b: { repo, action: 'create', branch: 'agent/case-1/other' },
    },
  ],
  git_commit: [
    {
      title: 'a commit that another one followed',
      a: { repo, branch: work, message: 'Third' },
      b: async () => void scratch.commit({ 'after.txt': 'after\n' }, 'Fourth'),
    },
  ],
  git_checkout: [{ title: 'there, back and there', a: { repo, branch: 'agent/case-1/other' }, b: { repo, branch: work } }],
  git_merge: [
    {
      title: 'a merge that was taken back',
      a: { repo, branch: work, revision: 'agent/case-1/side' },
      b: async () => void scratch.git(scratch.repo, 'reset', '--quiet', '--hard', 'main'),
    },
  ],
  git_push: [
    {
      title: 'a branch of the remote that was deleted',
      a: withHead({ repo, remote: 'origin', branch: work }),
      b: async () => void scratch.git(scratch.repo, 'push', '--quiet', 'origin', '--delete', work),
    },
  ],
};

const evalOf = (name: string, inputs: [Golden, ...Golden[]]): ContractTestOptions => ({
  golden: inputs,
  counterpart: {
    prepare: async () => {
      scratch = new ScratchRepository();
      scratch.make();
      if (['git_commit', 'git_diff', 'git_status'].includes(name)) {
        scratch.fill({ 'a.txt': 'one\ntwo\nthree\nfour\n', 'dir/new.txt': 'new\n' });
      }
      if (name === 'git_merge') {
        scratch.git(scratch.repo, 'switch', '--quiet', '--create', 'agent/case-1/side');
        scratch.commit({ 'side.txt': 'side\n' }, 'Side');
        scratch.git(scratch.repo, 'switch', '--quiet', work);
      }
    },
    clean: async () => scratch.remove(),
    settings: () => scratch.settings,
    snapshot: async () => scratch.snapshot(),
  },
  ...(states[name] && { states: states[name] }),
  generated: (inputs) => inputs.map((input) => ({ ...(input as object), repo })),
  generated_runs: 8,
  // Commit ids and the times in them differ between worlds, as do the names of scratch folders.
  volatile: [/[0-9a-f]{7,40}/g, /\d{4}-\d\d-\d\dT[\d:.+-]+Z?/g, /countersign-git-\w+/g, /"\d+ms"/g],
});

/** The eval packs of this pack's tools; every tool runs git in the same way, so testing the abort of one of them is enough. */
export const evals: EvalPacks = {
  ...Object.fromEntries(Object.entries(golden).map(([name, inputs]) => [name, evalOf(name, inputs)])),
  git_log: {
    ...evalOf('git_log', golden.git_log as [Golden, ...Golden[]]),
    get slow() {
      scratch.stall();
      return { repo };
    },
  },
};
