import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, type Verified } from '@countersign/tool-kit';
import { z } from 'zod';
import { checkedMessage, writeCommit } from '../commit-object.js';
import { statusEntries } from '../git-status/status-entries.js';
import { agentBranch, branchInput, checkedPath, pathInput, repoInput } from '../names.js';
import { dropReceipt, reconciledCommit, writeReceipt } from '../receipts.js';
import { conflict, notFound } from '../refusal.js';
import { inRepository, type Repository } from '../repository.js';

const output = z.strictObject({ branch: z.string(), commit: z.string(), parent: z.string(), files: z.int() });
type Output = z.output<typeof output>;

/** Commits the differences of the working tree to the checked-out branch of the case. */
export const gitCommit = defineTool({
  name: 'git_commit',
  version: '1.2.1',
  title: 'Commit to git',
  description:
    'Commits the changes in the working tree (all, or those of some paths) to the branch agent/<case>/… that is checked out. An undo takes the commit off the branch while it is the last one; the files stay as they are.',
  summary: 'Commit {/paths} to {/branch} in {/repo}: {/message}',
  category: 'git',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  idempotency: { discriminating: ['repo', 'branch', 'message', 'paths'] },
  // No resources: a commit depends on every file of the repository and changes none, but a name would declare a change. Its read-back tells
  // whether the same commit again has anything to do.
  timeout_ms: 60_000,
  input: z.strictObject({
    repo: repoInput,
    branch: branchInput,
    message: z.string().min(1).max(10_000),
    paths: z.array(pathInput).min(1).max(500).optional().describe('Only these files or folders; default everything that differs.'),
  }),
  output,
  run: (input, ctx) =>
    inRepository(input.repo, ctx, async (repository) => {
      const branch = agentBranch(input.branch, ctx);
      const message = checkedMessage(input.message);
      const parent = await repository.oidOf(`refs/heads/${branch}`);
      if (parent === undefined) throw notFound('/branch', `branch ${branch}`);
      if ((await repository.currentBranch()) !== branch) throw conflict('not_checked_out', `branch ${branch} is not checked out`);
      const paths = await changedPaths(repository, input.paths);
      await checkFilters(repository, paths);
      const tree = await treeWith(repository, parent, paths);
      const commit = await writeCommit(repository, { tree, parents: [parent], message });
      const result: Output = { branch, commit, parent, files: paths.length };
      await writeReceipt(repository, result);
      repository.changing = true;
      if (!(await repository.moveRef(`refs/heads/${branch}`, parent, commit))) {
        repository.changing = false;
        await dropReceipt(repository);
        throw conflict('moved', `branch ${branch} was moved at the same time`);
      }
      // Then the index is updated; if this is interrupted, the next commit is still correct because it uses its own index.
      await repository.try(['reset', '--quiet', '--pathspec-from-file=-', '--pathspec-file-nul'], { input: separated(paths) });
      return result;
    }),
  reconcile: (input, ctx) => inRepository(input.repo, ctx, (repository) => reconciledCommit<Output>(repository, ({ parent }) => parent)),
  compensate: ({ inputs, output: result }, ctx) =>
    inRepository(inputs.repo, ctx, async (repository) => {
      const branch = agentBranch(result.branch, ctx);
      const { commit, parent } = result;
      const head = await repository.oidOf(`refs/heads/${branch}`);
      if (head === parent) return { branch, head: parent };
      if (head !== commit) throw conflict('moved', `branch ${branch} was moved after the run`);
      const listed = await repository.bytes(['diff-tree', '-r', '-z', '--name-only', '--no-renames', parent, commit]);
      repository.changing = true;
      if (!(await repository.moveRef(`refs/heads/${branch}`, commit, parent))) {
        repository.changing = false;
        throw conflict('moved', `branch ${branch} was moved at the same time`);
      }
      // The index is updated if the branch is checked out; the files stay as they were before the commit.
      if ((await repository.currentBranch()) === branch)
        await repository.try(['reset', '--quiet', '--pathspec-from-file=-', '--pathspec-file-nul'], { input: listed });
      return { branch, head: parent };
    }),
  verify: (input, { branch, commit }, ctx) =>
    inRepository(input.repo, ctx, async (repository): Promise<Verified> => {
      const head = await repository.oidOf(`refs/heads/${branch}`);
      if (head === undefined || !(await repository.isAncestor(commit, head))) {
        return { kind: 'contradicted', why: `the commit is not on ${branch}` };
      }
      if ((await repository.currentBranch()) !== branch) return { kind: 'cannot_tell', why: `branch ${branch} is no longer checked out` };
      const since = await differingPaths(repository, input.paths);
      return since.length === 0
        ? { kind: 'verified' }
        : { kind: 'cannot_tell', why: `${since.length} files differ from the last commit now` };
    }),
});

const separated = (paths: readonly Buffer[]): Buffer => Buffer.concat(paths.flatMap((path) => [path, Buffer.of(0)]));

/**
 * Refuses files that a filter of the repository would rewrite (encrypt, store elsewhere): filters do not run, so the files would be
 * committed unfiltered.
 */
async function checkFilters(repository: Repository, paths: readonly Buffer[]): Promise<void> {
  const { filters } = await repository.programs();
  if (filters.size === 0) return;
  const text = await repository.run(['check-attr', '--stdin', '-z', 'filter'], { input: separated(paths) });
  // Repeated records of path, attribute and value.
  const records = text.split('\0');
  const filtered = records.filter((_, at) => at % 3 === 0 && filters.has(records[at + 2] ?? ''));
  if (filtered.length > 0)
    throw conflict('filter', 'files have a filter, and filters do not run here: commit them with git, or remove their filter attribute', {
      files: filtered.slice(0, 100),
    });
}

/** The paths to commit. */
async function changedPaths(repository: Repository, input: string[] | undefined): Promise<Buffer[]> {
  const paths = await differingPaths(repository, input);
  if (paths.length === 0) throw conflict('nothing_to_commit', 'nothing differs from the last commit');
  return paths;
}

/** The differences below the given paths, without reserved files. */
async function differingPaths(repository: Repository, input: string[] | undefined): Promise<Buffer[]> {
  const wanted = input?.map((path, at) => checkedPath(path, `/paths/${at}`));
  const args = [
    '--no-optional-locks',
    'status',
    '--porcelain=v2',
    '-z',
    '--untracked-files=all',
    '--no-renames',
    '--ignore-submodules=all',
  ];
  const { entries } = statusEntries(await repository.bytes(args));
  return entries
    .filter(({ path }) => !wanted || wanted.some((want) => path === want || path.startsWith(`${want}/`)))
    .map(({ bytes }) => bytes);
}

/** The tree of a commit with some paths as they are in the working tree, built in a separate index. */
async function treeWith(repository: Repository, commit: string, paths: Buffer[]): Promise<string> {
  const index = join(tmpdir(), `countersign-index-${repository.ctx.idempotency_key}-${process.hrtime.bigint()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await repository.run(['read-tree', commit], { env });
    await repository.run(['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], { env, input: separated(paths) });
    const tree = (await repository.run(['write-tree'], { env })).trim();
    if (tree === (await repository.oidOf(`${commit}^{tree}`))) throw conflict('nothing_to_commit', 'nothing differs from the last commit');
    return tree;
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}
