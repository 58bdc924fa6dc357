import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { repoInput } from '../names.js';
import { inRepository } from '../repository.js';
import { statusEntries } from './status-entries.js';

/** The differences from the last commit. */
export const gitStatus = defineTool({
  name: 'git_status',
  version: '1.0.0',
  title: 'Git status',
  description: 'Tells the current branch of a git repository in the workspace and which files differ from the last commit.',
  category: 'git',
  effect_class: 'read_internal',
  max_output_bytes: 2 * 1024 * 1024,
  input: z.strictObject({ repo: repoInput, limit: z.int().min(1).max(1_000).default(500) }),
  output: z.strictObject({
    branch: z.string().nullable(),
    head: z.string().nullable(),
    upstream: z.string().nullable(),
    ahead: z.int().nullable(),
    behind: z.int().nullable(),
    clean: z.boolean(),
    entries: z.array(z.strictObject({ path: z.string(), staged: z.string(), unstaged: z.string(), from: z.string().optional() })),
    truncated: z.boolean(),
  }),
  run: ({ repo, limit }, ctx) =>
    inRepository(repo, ctx, async (repository) => {
      const args = [
        '--no-optional-locks',
        'status',
        '--porcelain=v2',
        '--branch',
        '-z',
        '--untracked-files=all',
        '--ignore-submodules=all',
      ];
      const { entries, branch } = statusEntries(await repository.bytes(args));
      const counts = /^\+(\d+) -(\d+)$/.exec(branch.ab ?? '');
      return {
        branch: branch.head === '(detached)' ? null : (branch.head ?? null),
        head: branch.oid === '(initial)' ? null : (branch.oid ?? null),
        upstream: branch.upstream ?? null,
        ahead: counts ? Number(counts[1]) : null,
        behind: counts ? Number(counts[2]) : null,
        clean: entries.length === 0,
        entries: entries.slice(0, limit).map(({ bytes: _, ...entry }) => entry),
        truncated: entries.length > limit,
      };
    }),
});
