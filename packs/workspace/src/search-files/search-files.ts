import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { inWorkspace } from '../confine.js';
import { globOf } from '../glob.js';
import { Walk } from '../walk.js';

/** Finds files by a glob over their paths below the start folder. */
export const searchFiles = defineTool({
  name: 'search_files',
  version: '1.0.0',
  title: 'Find files by name',
  description: 'Finds the files of the workspace whose paths match a glob such as **/*.ts or docs/{a,b}*.md.',
  category: 'workspace',
  effect_class: 'read_internal',
  max_output_bytes: 2 * 1024 * 1024,
  input: z.strictObject({
    pattern: z.string().min(1).max(256).describe('Glob over paths relative to `path`; ** crosses folders, a leading dot is matched too.'),
    path: z.string().default('.').describe('Folder to search, relative to the workspace.'),
    limit: z.int().min(1).max(1_000).default(200),
  }),
  output: z.strictObject({
    path: z.string(),
    files: z.array(z.strictObject({ path: z.string(), size_bytes: z.int() })),
    searched: z.int(),
    truncated: z.boolean(),
  }),
  run: ({ pattern, path, limit }, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const search = await workspace.search();
      const { pattern: glob, negated } = globOf(pattern, '/pattern');
      await search.check(glob);
      const start = await workspace.folder(path);
      const wanted = async (paths: readonly string[]) => (await search.whole(glob, paths)).map((hit) => hit !== negated);
      const walk = new Walk(workspace, { recursive: true, wanted });
      const files: { path: string; size_bytes: number }[] = [];
      let searched = 0;
      for await (const found of walk.entries(start)) {
        if (found.type !== 'file') continue;
        searched++;
        if (found.wanted) files.push({ path: found.path, size_bytes: found.stats.size });
        if (files.length > limit) break;
      }
      return { path: start.path, files: files.slice(0, limit), searched, truncated: walk.cut || files.length > limit };
    }),
});
