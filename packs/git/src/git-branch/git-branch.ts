import { defineTool, type Reconciled } from '@countersign/tool-kit';
import { z } from 'zod';
import { agentBranch, branchInput, repoInput, revisionInput } from '../names.js';
import { dropReceipt, readReceipt, writeReceipt } from '../receipts.js';
import { conflict, notFound, refused } from '../refusal.js';
import { inRepository, type Repository } from '../repository.js';

const output = z.strictObject({ action: z.enum(['create', 'delete']), branch: z.string(), head: z.string() });
type Output = z.output<typeof output>;

/** Creates or deletes a branch of the case. The commits of a deleted branch are kept as objects: a person can restore it. */
export const gitBranch = defineTool({
  name: 'git_branch',
  version: '1.1.1',
  title: 'Create or delete a git branch',
  description: 'Creates a branch of this case at a revision, or deletes one; only names agent/<case>/… are taken.',
  summary: 'Branch {/branch} in {/repo}: {/action}',
  category: 'git',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  idempotency: { discriminating: ['repo', 'action', 'branch', 'from'] },
  resources: [{ name: 'git:{/repo}/heads/{/branch}', effect: 'replaces' }],
  input: z.strictObject({
    repo: repoInput,
    action: z.enum(['create', 'delete']),
    branch: branchInput,
    from: revisionInput.optional().describe('Where a new branch starts; default HEAD.'),
  }),
  output,
  run: (input, ctx) =>
    inRepository(input.repo, ctx, async (repository) => {
      const branch = agentBranch(input.branch, ctx);
      const head = await repository.oidOf(`refs/heads/${branch}`);
      if (input.action === 'create') {
        if (head !== undefined) throw refused('/branch', 'exists', `branch ${branch} exists already`);
        return change(repository, { action: 'create', branch, head: await repository.commitOf(input.from ?? 'HEAD', '/from') });
      }
      if (input.from !== undefined) throw refused('/from', 'not_for_delete', 'from is only allowed with create');
      if (head === undefined) throw notFound('/branch', `branch ${branch}`);
      if ((await repository.currentBranch()) === branch) throw conflict('checked_out', `branch ${branch} is checked out`);
      return change(repository, { action: 'delete', branch, head });
    }),
  reconcile: (input, ctx) =>
    inRepository(input.repo, ctx, async (repository): Promise<Reconciled<Output>> => {
      const receipt = await readReceipt<Output>(repository);
      if (!receipt) return { kind: 'did_not_happen' };
      const head = await repository.oidOf(`refs/heads/${receipt.branch}`);
      const happened =
        receipt.action === 'delete' ? head === undefined : head !== undefined && (await repository.isAncestor(receipt.head, head));
      if (happened) return { kind: 'happened', output: receipt };
      const before = receipt.action === 'delete' ? receipt.head : undefined;
      return head === before ? { kind: 'did_not_happen' } : { kind: 'cannot_tell', why: 'the branch was moved after the run' };
    }),
  compensate: ({ inputs, output: result }, ctx) =>
    inRepository(inputs.repo, ctx, async (repository) => {
      const branch = agentBranch(result.branch, ctx);
      const [now, then] = result.action === 'create' ? [result.head, undefined] : [undefined, result.head];
      const head = await repository.oidOf(`refs/heads/${branch}`);
      if (head === then) return { branch, undone: true };
      if ((await repository.currentBranch()) === branch) throw conflict('checked_out', `branch ${branch} is checked out`);
      if (head !== now) throw conflict('moved', `branch ${branch} was moved after the run`);
      repository.changing = true;
      if (await repository.moveRef(`refs/heads/${branch}`, now, then)) return { branch, undone: true };
      repository.changing = false;
      throw conflict('moved', `branch ${branch} was moved after the run`);
    }),
});

async function change(repository: Repository, result: Output): Promise<Output> {
  const [from, to] = result.action === 'create' ? [undefined, result.head] : [result.head, undefined];
  // Protects the commits of a deleted branch from garbage collection.
  if (from !== undefined) await repository.moveRef(`refs/countersign/kept/${repository.ctx.idempotency_key}`, undefined, from);
  await writeReceipt(repository, result);
  repository.changing = true;
  if (await repository.moveRef(`refs/heads/${result.branch}`, from, to)) return result;
  repository.changing = false;
  await dropReceipt(repository);
  throw conflict(
    'not_possible',
    `branch ${result.branch} could not be ${result.action}d: it was moved, or another branch has a conflicting name`,
  );
}
