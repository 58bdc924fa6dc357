import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { inWorkspace } from '../confine.js';
import { globExpression } from '../glob.js';
import { Matching } from '../matching.js';
import { type Found, Walk } from '../walk.js';

const BATCH = 512;

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
      const matching = workspace.keep(new Matching(globExpression(pattern, '/pattern'), ctx));
      const start = await workspace.folder(path);
      const walk = new Walk(workspace, { recursive: true });
      const prefix = start.path === '.' ? 0 : start.path.length + 1;
      const files: { path: string; size_bytes: number }[] = [];
      let searched = 0;
      let batch: Found[] = [];
      const flush = async () => {
        const hits = await matching.whole(batch.map((found) => found.path.slice(prefix)));
        for (const [i, found] of batch.entries()) if (hits[i]) files.push({ path: found.path, size_bytes: found.stats.size });
        batch = [];
      };
      for await (const found of walk.entries(start)) {
        if (found.type !== 'file') continue;
        searched++;
        batch.push(found);
        if (batch.length === BATCH) await flush();
        if (files.length > limit) break;
      }
      await flush();
      return { path: start.path, files: files.slice(0, limit), searched, truncated: walk.cut || files.length > limit };
    }),
});
