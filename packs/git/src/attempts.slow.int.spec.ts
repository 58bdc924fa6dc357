import { laterAttempt } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pack } from './index.js';
import { ScratchRepository } from './scratch-repository.js';

const repo = 'app';
const work = 'agent/case-1/work';
let scratch: ScratchRepository;
beforeEach(() => {
  scratch = new ScratchRepository();
  scratch.make();
});
afterEach(() => scratch.remove());

const toolOf = (name: string) => pack.tools.find(({ contract }) => contract.name === name)!;
const run = (name: string, input: object, ctx = scratch.context()) => toolOf(name).run({ repo, ...input } as never, ctx);

describe('attempts of git_checkout', () => {
  const other = { branch: 'agent/case-1/other' };
  const inputs = { repo, ...other } as never;

  test('a claimed attempt that did not run is not confused with the earlier attempt whose branch is checked out', async () => {
    const first = scratch.context();
    const output = await run('git_checkout', other, first);
    expect(await toolOf('git_checkout').reconcile?.(inputs, laterAttempt(first))).toEqual({ kind: 'did_not_happen' });
    expect(await toolOf('git_checkout').reconcile?.(inputs, first)).toEqual({ kind: 'happened', output });
  });

  test('an attempt followed by others cannot be verified; one that changed nothing is unchanged', async () => {
    const first = scratch.context();
    await run('git_checkout', other, first);
    scratch.git(scratch.repo, 'switch', '--quiet', 'main');
    expect(await toolOf('git_checkout').reconcile?.(inputs, first)).toMatchObject({ kind: 'cannot_tell' });
    scratch.git(scratch.repo, 'switch', '--quiet', work);
    expect(await toolOf('git_checkout').reconcile?.(inputs, first)).toEqual({ kind: 'did_not_happen' });
  });

  test('a refused attempt has not happened', async () => {
    scratch.fill({ 'a.txt': 'mine\n' });
    const ctx = scratch.context();
    await expect(run('git_checkout', other, ctx)).rejects.toMatchObject({ more: { effect: 'none' } });
    expect(await toolOf('git_checkout').reconcile?.(inputs, ctx)).toEqual({ kind: 'did_not_happen' });
  });
});

describe('the read-back of a git_commit', () => {
  const inputs = { repo, branch: work, message: 'Third', paths: ['dir'] };
  const committed = async () => {
    scratch.fill({ 'dir/b.txt': 'changed\n' });
    return run('git_commit', inputs);
  };
  const verified = (output: unknown, more: object = {}) =>
    toolOf('git_commit').verify?.({ ...inputs, ...more } as never, output as never, scratch.context());

  test('is verified while there is nothing new to commit below its paths', async () => {
    const output = await committed();
    expect(await verified(output)).toEqual({ kind: 'verified' });
    scratch.fill({ 'a.txt': 'another file\n' });
    expect(await verified(output)).toEqual({ kind: 'verified' });
    expect(await verified(output, { paths: undefined })).toMatchObject({ kind: 'cannot_tell' });
  });

  test('cannot tell once its files differ again, or another branch is checked out', async () => {
    const output = await committed();
    scratch.fill({ 'dir/b.txt': 'changed again\n' });
    expect(await verified(output)).toMatchObject({ kind: 'cannot_tell' });
    scratch.git(scratch.repo, 'checkout', '--quiet', '--', '.');
    scratch.git(scratch.repo, 'switch', '--quiet', 'main');
    expect(await verified(output)).toMatchObject({ kind: 'cannot_tell' });
  });

  test('contradicts a commit that its branch has lost', async () => {
    const output = await committed();
    scratch.git(scratch.repo, 'reset', '--quiet', '--hard', 'main');
    expect(await verified(output)).toMatchObject({ kind: 'contradicted' });
  });
});

describe('the read-back of a git_merge', () => {
  const side = 'agent/case-1/side';
  const inputs = { repo, branch: work, revision: side };
  const onSide = (name: string) => {
    scratch.git(scratch.repo, 'switch', '--quiet', side);
    scratch.commit({ [name]: `${name}\n` }, name);
    scratch.git(scratch.repo, 'switch', '--quiet', work);
  };
  const merged = async () => {
    scratch.git(scratch.repo, 'branch', '--quiet', side);
    onSide('side.txt');
    return run('git_merge', inputs);
  };
  const verified = (output: unknown) => toolOf('git_merge').verify?.(inputs as never, output as never, scratch.context());

  test('is verified while the same merge has nothing to do, whatever else is committed on its branch', async () => {
    const output = await merged();
    expect(await verified(output)).toEqual({ kind: 'verified' });
    scratch.commit({ 'more.txt': 'more\n' }, 'More');
    expect(await verified(output)).toEqual({ kind: 'verified' });
  });

  test('cannot tell once there are commits to merge, or the revision is missing, and is verified again once they are merged', async () => {
    const output = await merged();
    onSide('later.txt');
    expect(await verified(output)).toMatchObject({ kind: 'cannot_tell' });
    await run('git_merge', inputs);
    expect(await verified(output)).toEqual({ kind: 'verified' });
    scratch.git(scratch.repo, 'branch', '--quiet', '-D', side);
    await expect(verified(output)).rejects.toThrow();
  });

  test('contradicts a merge that its branch has lost', async () => {
    const output = await merged();
    scratch.git(scratch.repo, 'reset', '--quiet', '--hard', 'main');
    expect(await verified(output)).toMatchObject({ kind: 'contradicted' });
  });
});
