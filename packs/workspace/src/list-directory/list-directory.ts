import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { inWorkspace } from '../confine.js';
import { Walk } from '../walk.js';

const ENTRIES_MAX = 1_000;

/** Lists a folder, sorted by path, without the platform's own folders and `.git`. */
export const listDirectory = defineTool({
  name: 'list_directory',
  version: '1.0.0',
  title: 'List a folder',
  description: 'Lists the files and folders in a folder of the workspace with their types and sizes, optionally with all below it.',
  category: 'workspace',
  effect_class: 'read_internal',
  max_output_bytes: 2 * 1024 * 1024,
  input: z.strictObject({
    path: z.string().default('.').describe('Path of the folder, relative to the workspace.'),
    recursive: z.boolean().default(false),
    limit: z.int().min(1).max(ENTRIES_MAX).default(500),
  }),
  output: z.strictObject({
    path: z.string(),
    entries: z.array(
      z.strictObject({
        path: z.string(),
        type: z.enum(['file', 'directory', 'symlink', 'other']),
        size_bytes: z.int().nullable(),
        modified_at: z.string(),
      }),
    ),
    truncated: z.boolean(),
  }),
  run: ({ path, recursive, limit }, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const start = await workspace.folder(path);
      const walk = new Walk(workspace, { recursive });
      const entries = [];
      for await (const entry of walk.entries(start)) {
        if (entries.length === limit) return { path: start.path, entries, truncated: true };
        entries.push({
          path: entry.path,
          type: entry.type,
          size_bytes: entry.type === 'file' ? entry.stats.size : null,
          modified_at: entry.stats.mtime.toISOString(),
        });
      }
      return { path: start.path, entries, truncated: walk.cut };
    }),
});
