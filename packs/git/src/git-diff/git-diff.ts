import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { checkedPath, pathInput, repoInput, revisionInput } from '../names.js';
import { refused } from '../refusal.js';
import { failed, inRepository, type Repository } from '../repository.js';

const PATCH_BYTES_MAX = 200 * 1024;
const FILES_MAX = 1_000;

const input = z.strictObject({
  repo: repoInput,
  from: revisionInput.optional().describe('Old side; without it the index (or HEAD where staged).'),
  to: revisionInput.optional().describe('New side; without it the working tree (or the index where staged). Needs from.'),
  staged: z.boolean().default(false),
  paths: z.array(pathInput).max(100).default([]),
  context_lines: z.int().min(0).max(50).default(3),
});

/** A diff as a patch; cut at 200 KiB, which the output states. Untracked files are not included. */
export const gitDiff = defineTool({
  name: 'git_diff',
  version: '1.0.0',
  title: 'Git diff',
  description: 'Answers the difference between two commits, or a commit or the index and the working tree, as a unified patch.',
  category: 'git',
  effect_class: 'read_internal',
  max_output_bytes: 2 * 1024 * 1024,
  input,
  output: z.strictObject({
    diff: z.string(),
    files: z.array(z.strictObject({ path: z.string(), added: z.int().nullable(), removed: z.int().nullable() })),
    truncated: z.boolean(),
  }),
  run: (input, ctx) =>
    inRepository(input.repo, ctx, async (repository) => {
      const sides = await sidesOf(repository, input);
      const paths = input.paths.map((path, at) => checkedPath(path, `/paths/${at}`));
      const args = (...kind: string[]) => [
        '--no-optional-locks',
        'diff',
        '--no-ext-diff',
        '--no-textconv',
        '--no-color',
        '--no-renames',
        '--ignore-submodules=all',
        ...kind,
        ...sides,
        '--',
        ...paths,
      ];
      const files = filesOf(await repository.run(args('--numstat', '-z')));
      const patchArgs = args('--patch', `--unified=${input.context_lines}`);
      const patch = await repository.try(patchArgs, { stdout_bytes_max: PATCH_BYTES_MAX });
      if (patch.code !== 0 && !patch.cut) throw failed(patchArgs, patch);
      const truncated = patch.cut || files.length > FILES_MAX;
      return { diff: patch.stdout.toString('utf8'), files: files.slice(0, FILES_MAX), truncated };
    }),
});

async function sidesOf(repository: Repository, { from, to, staged }: z.output<typeof input>): Promise<string[]> {
  if (to !== undefined && from === undefined) throw refused('/to', 'needs_from', 'to requires from');
  if (to !== undefined && staged) throw refused('/staged', 'one_of', 'set either to or staged, not both');
  const old = from === undefined ? [] : [await repository.commitOf(from, '/from')];
  const now = to === undefined ? [] : [await repository.commitOf(to, '/to')];
  return [...(staged ? ['--cached'] : []), ...old, ...now];
}

/** Parses `--numstat -z`; a binary file has no counts. */
function filesOf(text: string) {
  const records = text.split('\0').filter(Boolean);
  return records.map((record) => {
    const [added, removed, ...path] = record.split('\t');
    return { path: path.join('\t'), added: added === '-' ? null : Number(added), removed: removed === '-' ? null : Number(removed) };
  });
}
