import { defineTool, shownText, type Verified } from '@countersign/tool-kit';
import { z } from 'zod';
import { checkedMessage, writeCommit } from '../commit-object.js';
import { agentBranch, branchInput, repoInput, revisionInput } from '../names.js';
import { dropReceipt, reconciledCommit, writeReceipt } from '../receipts.js';
import { conflict, notFound } from '../refusal.js';
import { failed, inRepository, type Repository } from '../repository.js';

const output = z.strictObject({
  branch: z.string(),
  commit: z.string(),
  merged: z.string(),
  previous: z.string(),
  up_to_date: z.boolean(),
});
type Output = z.output<typeof output>;

/** Merges a revision into a branch of the case, all or nothing: conflicts change nothing. */
export const gitMerge = defineTool({
  name: 'git_merge',
  version: '1.2.1',
  title: 'Merge in git',
  description:
    'Merges a revision into a branch agent/<case>/… of this case with a merge commit. Conflicts are listed and change nothing. An undo takes the merge back while the branch is where it left it.',
  summary: 'Merge {/revision} into {/branch} in {/repo}',
  category: 'git',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  idempotency: { discriminating: ['repo', 'branch', 'revision'] },
  resources: [
    // If the branch is checked out, every file of the repository may differ afterwards.
    { name: 'file:{/repo}', effect: 'replaces' },
    { name: 'git:{/repo}/heads/{/branch}', effect: 'replaces' },
    // The revision is not changed; it is named so that a new branch of the same name invalidates the result. A commit on it names nothing:
    // the read-back tells whether the same merge again has anything to do.
    { name: 'git:{/repo}/heads/{/revision}', effect: 'replaces' },
  ],
  timeout_ms: 60_000,
  input: z.strictObject({
    repo: repoInput,
    branch: branchInput,
    revision: revisionInput,
    message: z.string().min(1).max(10_000).optional(),
  }),
  output,
  run: (input, ctx) =>
    inRepository(input.repo, ctx, async (repository) => {
      const branch = agentBranch(input.branch, ctx);
      const previous = await repository.oidOf(`refs/heads/${branch}`);
      if (previous === undefined) throw notFound('/branch', `branch ${branch}`);
      const merged = await repository.commitOf(input.revision, '/revision');
      const message = checkedMessage(input.message ?? `Merge ${input.revision} into ${branch}`);
      if (await repository.isAncestor(merged, previous)) return { branch, commit: previous, merged, previous, up_to_date: true };
      const tree = await mergedTree(repository, previous, merged);
      await repository.checkTree(tree);
      const commit = await writeCommit(repository, { tree, parents: [previous, merged], message });
      const result: Output = { branch, commit, merged, previous, up_to_date: false };
      await place(repository, result);
      return result;
    }),
  changedNothing: ({ up_to_date }) => up_to_date,
  reconcile: (input, ctx) =>
    inRepository(input.repo, ctx, (repository) => reconciledCommit<Output>(repository, ({ previous }) => previous)),
  compensate: ({ inputs, output: result }, ctx) =>
    inRepository(inputs.repo, ctx, async (repository) => {
      const branch = agentBranch(result.branch, ctx);
      const head = await repository.oidOf(`refs/heads/${branch}`);
      if (head === result.previous) return { branch, head };
      if (head !== result.commit) throw conflict('moved', `branch ${branch} was moved after the run`);
      await movePlaced(repository, result.branch, result.commit, result.previous);
      return { branch, head: result.previous };
    }),
  verify: ({ repo, revision }, { branch, merged }, ctx) =>
    inRepository(repo, ctx, async (repository): Promise<Verified> => {
      const head = await repository.oidOf(`refs/heads/${branch}`);
      if (head === undefined || !(await repository.isAncestor(merged, head))) {
        return { kind: 'contradicted', why: `the merge is not on ${branch}` };
      }
      const now = await repository.commitOf(revision, '/revision');
      return now === merged || (await repository.isAncestor(now, head))
        ? { kind: 'verified' }
        : { kind: 'cannot_tell', why: `${revision} now has commits that are not on ${branch}` };
    }),
});

/** The merge as a tree, made without changing the index or files. */
async function mergedTree(repository: Repository, ours: string, theirs: string): Promise<string> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const result = await repository.try(args);
  const [tree = '', ...files] = shownText(result.stdout).split('\0').filter(Boolean);
  if (result.code === 1) throw conflict('merge_conflict', `${files.length} files conflict`, { files: files.slice(0, 100) });
  if (result.code !== 0) throw failed(args, result);
  return tree.trim();
}

async function place(repository: Repository, result: Output): Promise<void> {
  const { branch, previous, commit } = result;
  await movePlaced(repository, branch, previous, commit, result).catch(async (error) => {
    if (!repository.changing) await dropReceipt(repository);
    throw error;
  });
}

/**
 * Updates the working tree first, if the branch is checked out, and then the branch: after an interruption between the two, the same move
 * finds its files in place and continues.
 * @param receipt is written before anything changes
 */
async function movePlaced(repository: Repository, branch: string, from: string, to: string, receipt?: object): Promise<void> {
  const checkedOut = (await repository.currentBranch()) === branch;
  if (checkedOut) {
    await repository.try(['update-index', '-q', '--refresh']);
    const probe = await repository.try(['read-tree', '-m', '-u', '--dry-run', from, to]);
    if (probe.code !== 0) throw conflict('local_changes', 'local changes would be overwritten', { stderr: probe.stderr.slice(0, 2_000) });
  }
  if (receipt) await writeReceipt(repository, receipt);
  repository.changing = true;
  if (checkedOut) await repository.run(['read-tree', '-m', '-u', from, to]);
  if (await repository.moveRef(`refs/heads/${branch}`, from, to)) return;
  if (checkedOut) await repository.run(['read-tree', '-m', '-u', to, from]);
  repository.changing = false;
  throw conflict('moved', `branch ${branch} was moved at the same time`);
}
