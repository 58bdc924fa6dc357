import { defineTool, type Reconciled, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';
import { REMOTE_ENVIRONMENT } from '../git-command.js';
import { agentBranch, branchInput, repoInput } from '../names.js';
import { readReceipt, writeReceipt } from '../receipts.js';
import { conflict, notFound, refused } from '../refusal.js';
import { checkRemotePlace } from '../remote-place.js';
import { inRepository, type Repository } from '../repository.js';

const TIMEOUT_MS = 120_000;

const output = z.strictObject({ remote: z.string(), branch: z.string(), commit: z.string(), previous: z.string().nullable() });
type Output = z.output<typeof output>;

/**
 * Pushes one named commit of a branch of the case to the branch of the same name. The commit is an input, so that the approved commit is
 * pushed; the remote branch must not have moved since it was read, and is never rewound.
 */
export const gitPush = defineTool({
  name: 'git_push',
  version: '2.1.1',
  title: 'Push to a git remote',
  description: 'Pushes a commit of a branch agent/<case>/… to the branch of the same name on a configured remote. It waits for approval.',
  summary: 'Push commit {/commit} of {/branch} in {/repo} to {/remote}',
  category: 'git',
  effect_class: 'commit_high',
  reversibility: 'semantic',
  idempotency: { discriminating: ['repo', 'remote', 'branch', 'commit'] },
  // Remotes with two names, and of two repositories, may be the same: only the branch identifies the target.
  resources: [{ name: 'git_remote:{/branch}', effect: 'replaces' }],
  timeout_ms: TIMEOUT_MS,
  input: z.strictObject({
    repo: repoInput,
    remote: z.string().min(1).max(100).default('origin').describe('Name of a configured remote; never an address.'),
    // Refused before approval; the case and the protected branches are checked at the run.
    branch: branchInput.regex(/^agent\/[A-Za-z0-9_%-]+\/./, 'agents push branches of their case: agent/<case>/<name>'),
    commit: z
      .string()
      .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
      .describe('Full id of the commit, which the branch must contain.'),
  }),
  output,
  run: (input, ctx) =>
    inRepository(input.repo, ctx, async (repository) => {
      const branch = agentBranch(input.branch, ctx);
      const remote = await configuredRemote(repository, input.remote);
      const head = await repository.oidOf(`refs/heads/${branch}`);
      if (head === undefined) throw notFound('/branch', `branch ${branch}`);
      const commit = await repository.commitOf(input.commit, '/commit');
      if (!(await repository.isAncestor(commit, head))) throw refused('/commit', 'not_on_branch', `the commit is not on ${branch}`);
      const previous = (await remoteHead(repository, remote, branch)) ?? null;
      if (previous !== null && !(await repository.isAncestor(previous, commit))) {
        throw conflict('not_fast_forward', 'the remote branch has commits that this one has not', { remote_head: previous });
      }
      const result: Output = { remote, branch, commit, previous };
      await writeReceipt(repository, result);
      if (previous !== commit) await push(repository, result, previous, commit);
      return result;
    }),
  changedNothing: ({ previous, commit }) => previous === commit,
  reconcile: (input, ctx) =>
    inRepository(input.repo, ctx, async (repository): Promise<Reconciled<Output>> => {
      const receipt = await readReceipt<Output>(repository);
      if (!receipt) return { kind: 'did_not_happen' };
      const now = (await remoteHead(repository, await configuredRemote(repository, receipt.remote), receipt.branch)) ?? null;
      if (now === receipt.commit) return { kind: 'happened', output: receipt };
      if (now === receipt.previous) return { kind: 'did_not_happen' };
      // A commit that is missing locally cannot be known to be a descendant.
      if (now !== null && (await repository.isAncestor(receipt.commit, now))) return { kind: 'happened', output: receipt };
      return { kind: 'cannot_tell', why: 'the remote branch was moved after the run' };
    }),
  compensate: ({ inputs, output: result }, ctx) =>
    inRepository(inputs.repo, ctx, async (repository) => {
      const remote = await configuredRemote(repository, result.remote);
      const branch = agentBranch(result.branch, ctx);
      const now = (await remoteHead(repository, remote, branch)) ?? null;
      if (now !== result.previous) {
        if (now !== result.commit) throw conflict('moved', 'the remote branch was moved after the run');
        await push(repository, result, result.commit, result.previous);
      }
      return { remote, branch, head: result.previous };
    }),
});

/** Moves the remote branch if it is still at `from`; null means "does not exist". */
async function push(repository: Repository, { remote, branch }: Output, from: string | null, to: string | null): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const args = [
    'push',
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    '--receive-pack=git-receive-pack',
    `--force-with-lease=${ref}:${from ?? ''}`,
    '--',
    remote,
    `${to ?? ''}:${ref}`,
  ];
  repository.changing = true;
  const pushed = await repository.try(args, { life_ms: TIMEOUT_MS, env: REMOTE_ENVIRONMENT });
  if (pushed.code === 0) return;
  // "!" means that the remote did not update this ref; any other outcome may have been applied.
  const rejected = /^!\t.*\[(remote )?rejected\]/m.test(pushed.stdout.toString('utf8'));
  repository.changing = !rejected;
  const details = { reason: rejected ? 'rejected' : 'push_failed', stderr: withoutCredentials(pushed.stderr).slice(0, 2_000) };
  if (rejected) throw conflict('rejected', 'the remote rejected the push', details);
  throw new ToolError('NETWORK_ERROR', 'the push failed, but may have reached the remote', { details });
}

/** The commit of a remote branch. */
async function remoteHead(repository: Repository, remote: string, branch: string): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const args = ['ls-remote', '--upload-pack=git-upload-pack', '--', remote, ref];
  const { code, stdout, stderr } = await repository.try(args, { life_ms: TIMEOUT_MS, env: REMOTE_ENVIRONMENT });
  if (code !== 0) {
    const details = { reason: 'remote_unreachable', stderr: withoutCredentials(stderr).slice(0, 2_000) };
    throw new ToolError('NETWORK_ERROR', 'the remote cannot be read', { details });
  }
  const rows = stdout
    .toString('utf8')
    .split('\n')
    .map((row) => row.split('\t'));
  return rows.find(([, name]) => name === ref)?.[0];
}

/** A remote that the repository's owner has configured: URLs of a caller are never used. */
async function configuredRemote(repository: Repository, name: string): Promise<string> {
  const known = (await repository.run(['remote'])).split('\n').filter(Boolean);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) || !known.includes(name)) throw notFound('/remote', `remote ${JSON.stringify(name)}`);
  await checkRemotePlace(repository, name);
  return name;
}

function withoutCredentials(text: string): string {
  return text.replace(/(\/\/)[^/@\s]+@/g, '$1***@');
}
