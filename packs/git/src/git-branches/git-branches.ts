import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { repoInput } from '../names.js';
import { inRepository } from '../repository.js';

const BRANCHES_MAX = 1_000;

/** Lists the local branches. A separate tool: `git_branch` writes, and a repeated write returns its recorded result. */
export const gitBranches = defineTool({
  name: 'git_branches',
  version: '1.0.0',
  title: 'Git branches',
  description: 'Lists the local branches of a git repository in the workspace with their commits, and which one is checked out.',
  category: 'git',
  effect_class: 'read_internal',
  max_output_bytes: 2 * 1024 * 1024,
  input: z.strictObject({ repo: repoInput }),
  output: z.strictObject({
    current: z.string().nullable(),
    branches: z.array(z.strictObject({ name: z.string(), head: z.string(), committed_at: z.string() })),
    truncated: z.boolean(),
  }),
  run: ({ repo }, ctx) =>
    inRepository(repo, ctx, async (repository) => {
      const format = '--format=%(refname:lstrip=2) %(objectname) %(committerdate:iso-strict)';
      const text = await repository.run(['for-each-ref', `--count=${BRANCHES_MAX + 1}`, format, 'refs/heads/']);
      const branches = text
        .split('\n')
        .filter(Boolean)
        .map((row) => {
          const [name = '', head = '', committed_at = ''] = row.split(' ');
          return { name, head, committed_at };
        });
      const current = (await repository.currentBranch()) ?? null;
      return { current, branches: branches.slice(0, BRANCHES_MAX), truncated: branches.length > BRANCHES_MAX };
    }),
});
