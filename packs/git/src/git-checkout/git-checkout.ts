import { defineTool, type Reconciled } from '@countersign/tool-kit';
import { z } from 'zod';
import { agentBranch, branchInput, repoInput } from '../names.js';
import { dropReceipt, readReceipt, writeReceipt } from '../receipts.js';
import { conflict, notFound } from '../refusal.js';
import { failed, inRepository, type Repository } from '../repository.js';

const output = z.strictObject({ branch: z.string(), head: z.string() });
type Output = z.output<typeof output>;
/** The output and the branch that was checked out before. */
type Receipt = Output & { from: string | null };

/** Checks out a branch of the case. */
export const gitCheckout = defineTool({
  name: 'git_checkout',
  version: '1.2.1',
  title: 'Check out a git branch',
  description: 'Switches the working tree to a branch agent/<case>/… of this case; local changes in the way refuse it.',
  summary: 'Check out {/branch} in {/repo}',
  category: 'git',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  idempotency: { discriminating: ['repo', 'branch'] },
  // Every file of the repository may differ afterwards.
  resources: [{ name: 'file:{/repo}', effect: 'replaces' }],
  timeout_ms: 60_000,
  input: z.strictObject({ repo: repoInput, branch: branchInput }),
  output,
  run: (input, ctx) =>
    inRepository(input.repo, ctx, async (repository) => {
      const branch = agentBranch(input.branch, ctx);
      const head = await repository.oidOf(`refs/heads/${branch}`);
      if (head === undefined) throw notFound('/branch', `branch ${branch}`);
      const result: Output = { branch, head };
      const from = await repository.currentBranch();
      if (from !== branch) await repository.checkTree(head);
      // HEAD does not show which attempt has checked a branch out: the receipt does.
      await writeReceipt(repository, { ...result, from: from ?? null } satisfies Receipt);
      if (from === branch) return result;
      await switchTo(repository, branch).catch(async (error) => {
        if (!repository.changing) await dropReceipt(repository);
        throw error;
      });
      return result;
    }),
  compensate: ({ inputs, idempotency_key, output: { branch } }, ctx) =>
    inRepository(inputs.repo, ctx, async (repository) => {
      const receipt = await readReceipt<Receipt>(repository, idempotency_key);
      if (!receipt?.from) throw conflict('not_kept', 'the previous checkout is unknown or was not a branch');
      const { from } = receipt;
      const current = await repository.currentBranch();
      if (current === from) return { branch: from };
      if (current !== branch) throw conflict('moved', `a branch other than ${branch} is checked out now`);
      const head = await repository.oidOf(`refs/heads/${from}`);
      if (head === undefined) throw notFound('/branch', `branch ${from}`);
      await repository.checkTree(head);
      await switchTo(repository, from);
      return { branch: from };
    }),
  reconcile: (input, ctx) =>
    inRepository(input.repo, ctx, async (repository): Promise<Reconciled<Output>> => {
      const receipt = await readReceipt<Receipt>(repository);
      if (!receipt) return { kind: 'did_not_happen' };
      const { from, ...result } = receipt;
      const current = (await repository.currentBranch()) ?? null;
      if (current === result.branch) return { kind: 'happened', output: result };
      return current === from ? { kind: 'did_not_happen' } : { kind: 'cannot_tell', why: 'another branch was checked out after the run' };
    }),
});

async function switchTo(repository: Repository, branch: string): Promise<void> {
  repository.changing = true;
  const args = ['switch', '--quiet', '--no-guess', '--no-recurse-submodules', branch];
  const switched = await repository.try(args);
  if (switched.code === 0) return;
  // Git checks for obstacles before it changes anything.
  repository.changing = !/would be overwritten|resolve your current index|cannot switch/.test(switched.stderr);
  if (!repository.changing)
    throw conflict('local_changes', 'local changes would be overwritten', { stderr: switched.stderr.slice(0, 2_000) });
  throw failed(args, switched);
}
