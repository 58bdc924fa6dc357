import { defineTool, type Reconciled } from '@countersign/tool-kit';
import { z } from 'zod';
import { agentBranch, branchInput, repoInput } from '../names.js';
import { conflict, notFound } from '../refusal.js';
import { failed, inRepository } from '../repository.js';

const output = z.strictObject({ branch: z.string(), head: z.string() });

/** Checks out a branch of the case. */
export const gitCheckout = defineTool({
  name: 'git_checkout',
  version: '1.0.0',
  title: 'Check out a git branch',
  description:
    'Switches the working tree to a branch agent/<case>/… of this case; local changes in the way refuse it. Again needs another occurrence.',
  category: 'git',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  idempotency: { discriminating: ['repo', 'branch'] },
  timeout_ms: 60_000,
  input: z.strictObject({ repo: repoInput, branch: branchInput }),
  output,
  run: (asked, ctx) =>
    inRepository(asked.repo, ctx, async (repository) => {
      const branch = agentBranch(asked.branch, ctx);
      const head = await repository.oidOf(`refs/heads/${branch}`);
      if (head === undefined) throw notFound('/branch', `branch ${branch}`);
      if ((await repository.currentBranch()) === branch) return { branch, head };
      await repository.checkTree(head);
      repository.changing = true;
      const args = ['switch', '--quiet', '--no-guess', '--no-recurse-submodules', branch];
      const switched = await repository.try(args);
      if (switched.code === 0) return { branch, head };
      // Git looks for what is in the way before it touches anything.
      const inTheWay = /would be overwritten|resolve your current index|cannot switch/.test(switched.stderr);
      repository.changing = !inTheWay;
      if (inTheWay) throw conflict('local_changes', 'local changes are in the way', { stderr: switched.stderr.slice(0, 2_000) });
      throw failed(args, switched);
    }),
  reconcile: (asked, ctx) =>
    inRepository(asked.repo, ctx, async (repository): Promise<Reconciled<z.output<typeof output>>> => {
      const branch = agentBranch(asked.branch, ctx);
      const head = await repository.oidOf(`refs/heads/${branch}`);
      const there = head !== undefined && (await repository.currentBranch()) === branch;
      return there ? { kind: 'happened', output: { branch, head } } : { kind: 'did_not_happen' };
    }),
});
