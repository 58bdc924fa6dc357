import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { effectOf } from '@countersign/tool-kit/test-context';
import { ToolProbe } from '@countersign/tool-kit/tool-probe';
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
const run = (name: string, input: object, ctx = scratch.context()) =>
  toolOf(name).run({ repo, ...input } as never, ctx) as Promise<Record<string, string>>;
const reconcile = (name: string, input: object, ctx: ReturnType<ScratchRepository['context']>) =>
  toolOf(name).reconcile?.({ repo, ...input } as never, ctx);
const undo = (name: string, input: object, output: unknown, ran: ReturnType<ScratchRepository['context']>) =>
  toolOf(name).compensate?.(effectOf(toolOf(name), { repo, ...input }, output, ran), scratch.context());

describe('git_commit', () => {
  const input = { branch: work, message: 'Third' };

  test('the same call on the same state gives the same commit, which names its caller and its key', async () => {
    scratch.fill({ 'new.txt': 'new' });
    const ctx = scratch.context({ call_id: '0-0199a3b2-1c00-7000-8000-000000000000', idempotency_key: 'key-1' });
    const first = await run('git_commit', input, ctx);
    scratch.git(scratch.repo, 'update-ref', `refs/heads/${work}`, first.parent as string);
    expect(await run('git_commit', input, ctx)).toEqual(first);
    const shown = scratch.git(scratch.repo, 'show', '--no-patch', '--format=%an|%cn|%B', 'HEAD');
    expect(shown).toContain('agent-1|Countersign|Third');
    expect(shown).toContain('Countersign-Key: key-1');
  });

  test('leaves the working tree clean, and does not change what was staged for other paths', async () => {
    scratch.fill({ 'new.txt': 'new', 'staged.txt': 'staged' });
    scratch.git(scratch.repo, 'add', 'staged.txt');
    await run('git_commit', { ...input, paths: ['new.txt'] });
    expect(scratch.git(scratch.repo, 'status', '--porcelain')).toBe('A  staged.txt');
  });

  test('commits deletions, and files whose names look like options or patterns, literally', async () => {
    scratch.fill({ '--amend': 'x', '*.txt': 'x', ':(top)': 'x', '-rf': 'x' });
    scratch.git(scratch.repo, 'rm', '--quiet', 'dir/b.txt');
    await run('git_commit', { ...input, paths: ['*.txt', '--amend', 'dir'] });
    expect(scratch.git(scratch.repo, 'show', '--name-status', '--format=', 'HEAD').split('\n')).toEqual([
      'A\t*.txt',
      'A\t--amend',
      'D\tdir/b.txt',
    ]);
  });

  test('commits everything even if a name is not UTF-8, which the other tools show in a form that no tool accepts as a path', async () => {
    const name = Buffer.concat([Buffer.from(`${scratch.repo}/dir/caf`), Buffer.of(0xe9), Buffer.from('.txt')]);
    writeFileSync(name, 'one');
    const shown = 'dir/caf\\xe9.txt';
    expect(await run('git_status', {})).toMatchObject({ entries: [{ path: shown, staged: '?', unstaged: '?' }] });
    await expect(run('git_commit', { ...input, paths: [shown] })).rejects.toMatchObject({ more: { details: { reason: 'not_a_path' } } });
    expect(await run('git_commit', input)).toMatchObject({ files: 1 });
    expect(scratch.git(scratch.repo, 'show', '--name-status', '--format=', 'HEAD')).toBe('A\t"dir/caf\\351.txt"');
    expect(await run('git_status', {})).toMatchObject({ clean: true });
    writeFileSync(name, 'two');
    expect(await run('git_diff', {})).toMatchObject({ files: [{ path: shown, added: 1, removed: 1 }] });
    expect(await run('git_commit', { ...input, paths: ['dir'] })).toMatchObject({ files: 1 });
  });

  test('never commits the platform’s own files', async () => {
    scratch.fill({ '.countersign-trash/receipts/x': 'ours', 'new.txt': 'new' });
    expect(await run('git_commit', input)).toMatchObject({ files: 1 });
  });

  test('runs no hook and no signing program of the repository', async () => {
    for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction', 'post-checkout', 'pre-push']) {
      writeFileSync(join(scratch.repo, '.git/hooks', hook), `#!/bin/sh\ntouch ${scratch.outside}/pwned\nexit 1\n`);
      chmodSync(join(scratch.repo, '.git/hooks', hook), 0o755);
    }
    scratch.git(scratch.repo, 'config', 'commit.gpgSign', 'true');
    scratch.git(scratch.repo, 'config', 'gpg.program', `touch ${scratch.outside}/pwned;`);
    scratch.git(scratch.repo, 'config', 'core.fsmonitor', `touch ${scratch.outside}/pwned;`);
    scratch.fill({ 'new.txt': 'new' });
    await run('git_commit', input);
    await run('git_status', {});
    await run('git_push', { branch: work, commit: scratch.head('HEAD') });
    expect(existsSync(join(scratch.outside, 'pwned'))).toBe(false);
  });

  test.each([
    ['on a branch that is not checked out', { branch: 'agent/case-1/other' }, 'not_checked_out'],
    ['of nothing', {}, 'nothing_to_commit'],
    ['that claims another key', { message: 'x\n\nCountersign-Key: other' }, 'reserved'],
    ['on main', { branch: 'main' }, 'not_an_agent_branch'],
  ])('a commit %s is refused without effect', async (_title, change, reason) => {
    if (reason !== 'nothing_to_commit') scratch.fill({ 'new.txt': 'new' });
    const before = scratch.snapshot();
    await expect(run('git_commit', { ...input, ...change })).rejects.toMatchObject({ more: { effect: 'none', details: { reason } } });
    expect(scratch.snapshot()).toEqual(before);
  });

  test('20 concurrent commits: each file once, none lost, the branch is linear', async () => {
    scratch.fill(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, `${n}`])));
    const commits = Array.from({ length: 20 }, (_, n) => run('git_commit', { branch: work, message: `File ${n}`, paths: [`f${n}`] }));
    const outcomes = await Promise.allSettled(commits);
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ more: { effect: 'none', details: { reason: 'moved' } } });
    }
    expect(done).toBeGreaterThan(0);
    expect(Number(scratch.git(scratch.repo, 'rev-list', '--count', `main..${work}`))).toBe(done);
  });

  test('an aborted commit did not happen', async () => {
    scratch.fill({ 'new.txt': 'new' });
    const ctx = scratch.context({ signal: AbortSignal.abort() });
    await expect(run('git_commit', input, ctx)).rejects.toMatchObject({ code: 'CANCELLED', more: { effect: 'none' } });
    expect(await reconcile('git_commit', input, { ...ctx, signal: new AbortController().signal })).toEqual({ kind: 'did_not_happen' });
  });

  test('one interrupted after its receipt did not happen; one followed by others did', async () => {
    scratch.fill({ 'new.txt': 'new' });
    const ctx = scratch.context();
    const output = await run('git_commit', input, ctx);
    scratch.commit({ 'more.txt': 'more' }, 'On top');
    expect(await reconcile('git_commit', input, ctx)).toEqual({ kind: 'happened', output });
    scratch.git(scratch.repo, 'update-ref', `refs/heads/${work}`, output.parent as string);
    expect(await reconcile('git_commit', input, ctx)).toEqual({ kind: 'did_not_happen' });
  });
});

describe('git_merge', () => {
  test('into the checked-out branch moves files and branch together', async () => {
    scratch.git(scratch.repo, 'switch', '--quiet', 'agent/case-1/other');
    const output = await run('git_merge', { branch: 'agent/case-1/other', revision: 'main' });
    expect(scratch.head('HEAD')).toBe(output.commit);
    expect(scratch.git(scratch.repo, 'status', '--porcelain')).toBe('');
    expect(readFileSync(join(scratch.repo, 'a.txt'), 'utf8')).toContain('three');
    const again = await run('git_merge', { branch: 'agent/case-1/other', revision: 'main~1' });
    expect(again).toMatchObject({ up_to_date: true });
    expect([output, again].map((one) => toolOf('git_merge').changedNothing?.(one as never))).toEqual([false, true]);
  });

  test('with conflicts names the files and changes nothing', async () => {
    scratch.git(scratch.repo, 'switch', '--quiet', 'agent/case-1/other');
    scratch.commit({ 'a.txt': 'other\n' }, 'Other');
    const before = scratch.snapshot();
    const merging = run('git_merge', { branch: 'agent/case-1/other', revision: 'main' });
    await expect(merging).rejects.toMatchObject({ more: { effect: 'none', details: { reason: 'merge_conflict', files: ['a.txt'] } } });
    expect(scratch.snapshot()).toEqual(before);
  });

  test('over local changes is refused and keeps them', async () => {
    scratch.git(scratch.repo, 'switch', '--quiet', 'agent/case-1/other');
    scratch.fill({ 'a.txt': 'mine\n' });
    const before = scratch.snapshot();
    const merging = run('git_merge', { branch: 'agent/case-1/other', revision: 'main' });
    await expect(merging).rejects.toMatchObject({ more: { effect: 'none', details: { reason: 'local_changes' } } });
    expect(scratch.snapshot()).toEqual(before);
  });
});

describe('git_checkout', () => {
  test('over conflicting local changes is refused and keeps them', async () => {
    scratch.fill({ 'a.txt': 'mine\n' });
    const before = scratch.snapshot();
    await expect(run('git_checkout', { branch: 'agent/case-1/other' })).rejects.toMatchObject({
      more: { effect: 'none', details: { reason: 'local_changes' } },
    });
    expect(scratch.snapshot()).toEqual(before);
  });
});

describe('git_branch', () => {
  test('a deleted, otherwise unreferenced branch survives a garbage collection until the deletion is undone', async () => {
    const lost = scratch.commit({ 'only-here.txt': 'x' }, 'Only here');
    scratch.git(scratch.repo, 'switch', '--quiet', 'agent/case-1/other');
    const ctx = scratch.context();
    const output = await run('git_branch', { action: 'delete', branch: work }, ctx);
    scratch.git(scratch.repo, 'reflog', 'expire', '--expire=now', '--all');
    scratch.git(scratch.repo, 'gc', '--quiet', '--prune=now');
    await undo('git_branch', { action: 'delete', branch: work }, output, ctx);
    expect(scratch.head(work)).toBe(lost);
  });

  test('the checked-out branch is not deleted', async () => {
    await expect(run('git_branch', { action: 'delete', branch: work })).rejects.toMatchObject({
      more: { effect: 'none', details: { reason: 'checked_out' } },
    });
  });
});

describe('git_push', () => {
  const pushed = () => ({ remote: 'origin', branch: work, commit: scratch.head(work) });

  test('waits for approval, and names the approved commit', () => {
    expect(toolOf('git_push').contract).toMatchObject({
      effect_class: 'commit_high',
      idempotency: { discriminating: ['repo', 'remote', 'branch', 'commit'] },
    });
  });

  test.each([
    ['main', false],
    ['master', false],
    ['release/1.0', false],
    ['agent/case-1', false],
    ['refs/heads/agent/case-1/x', false],
    ['agent/case-1/', false],
    [work, true],
    ['agent/a%2Fb/fix+1', true],
  ])('to %s is checked by its schema, so a refused one needs no approval (taken: %p)', (branch, taken) => {
    const probe = new ToolProbe(toolOf('git_push'), { golden: [{ title: 'any', input: {} }] });
    expect(probe.faultsOfInput({ branch, commit: 'a'.repeat(40) })).toHaveLength(taken ? 0 : 1);
  });

  test('to a branch of another case, or a protected one, is refused at the run', async () => {
    const other = pushed();
    await expect(run('git_push', other, scratch.context({ case_id: 'case-2' }))).rejects.toMatchObject({
      more: { effect: 'none', details: { reason: 'not_an_agent_branch' } },
    });
    const settings = { ...scratch.settings, COUNTERSIGN_GIT_PROTECTED: 'agent/case-1/*' };
    await expect(run('git_push', other, scratch.context({ settings }))).rejects.toMatchObject({
      more: { effect: 'none', details: { reason: 'protected' } },
    });
  });

  test('pushes that commit, not later commits', async () => {
    const input = pushed();
    scratch.commit({ 'later.txt': 'x' }, 'Later');
    const pushing = await run('git_push', input);
    expect(scratch.head(work, scratch.remote)).toBe(input.commit);
    const again = await run('git_push', input);
    expect(again).toMatchObject({ commit: input.commit, previous: input.commit });
    expect([pushing, again].map((one) => toolOf('git_push').changedNothing?.(one as never))).toEqual([false, true]);
  });

  test('never rewinds what others pushed', async () => {
    await run('git_push', pushed());
    const theirs = scratch.commit({ 'theirs.txt': 'x' }, 'Theirs');
    scratch.git(scratch.repo, 'push', '--quiet', 'origin', work);
    scratch.git(scratch.repo, 'reset', '--quiet', '--hard', 'HEAD~1');
    scratch.commit({ 'ours.txt': 'x' }, 'Ours');
    await expect(run('git_push', pushed())).rejects.toMatchObject({ more: { effect: 'none', details: { reason: 'not_fast_forward' } } });
    expect(scratch.head(work, scratch.remote)).toBe(theirs);
  });

  test('a rejected push had no effect; one whose remote is unavailable is in doubt or not begun', async () => {
    writeFileSync(join(scratch.remote, 'hooks/update'), '#!/bin/sh\nexit 1\n');
    chmodSync(join(scratch.remote, 'hooks/update'), 0o755);
    await expect(run('git_push', pushed())).rejects.toMatchObject({ more: { effect: 'none', details: { reason: 'rejected' } } });
    scratch.git(scratch.repo, 'remote', 'set-url', 'origin', join(scratch.top, 'gone.git'));
    await expect(run('git_push', pushed())).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'none' } });
  });

  test('a push aborted while the remote is working is in doubt, and the remote shows its outcome', async () => {
    const thinks = join(scratch.top, 'thinks');
    writeFileSync(join(scratch.remote, 'hooks/pre-receive'), `#!/bin/sh\ntouch ${thinks}\nsleep 300\n`);
    chmodSync(join(scratch.remote, 'hooks/pre-receive'), 0o755);
    const stop = new AbortController();
    const ctx = scratch.context({ signal: stop.signal });
    const input = pushed();
    const pushing = expect(run('git_push', input, ctx)).rejects.toMatchObject({ code: 'CANCELLED', more: { effect: 'unknown' } });
    while (!existsSync(thinks)) await sleep(20);
    stop.abort();
    await pushing;
    const later = { ...ctx, signal: new AbortController().signal };
    expect(await reconcile('git_push', input, later)).toEqual({ kind: 'did_not_happen' });
    writeFileSync(join(scratch.remote, 'hooks/pre-receive'), '#!/bin/sh\nexit 0\n');
    const output = await run('git_push', input, later);
    expect(await reconcile('git_push', input, later)).toEqual({ kind: 'happened', output });
  });
});
