import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { entryOf, inWorkspace } from '../confine.js';
import { digestOf } from '../file-text.js';
import { linkRefused } from '../folder.js';
import { notFound } from '../refusal.js';
import { typeOf } from '../walk.js';

/** The properties of a file or folder without its content. */
export const fileMetadata = defineTool({
  name: 'file_metadata',
  version: '1.0.0',
  title: 'Look at a file',
  description: 'Tells the type, size, times, permissions and SHA-256 of a file or folder of the workspace.',
  category: 'workspace',
  effect_class: 'read_internal',
  input: z.strictObject({ path: z.string().describe('Path of the file or folder, relative to the workspace.') }),
  output: z.strictObject({
    path: z.string(),
    type: z.enum(['file', 'directory', 'symlink', 'other']),
    size_bytes: z.int(),
    modified_at: z.string(),
    created_at: z.string(),
    permissions: z.string(),
    /** For a file up to 16 MiB. */
    sha256: z.string().nullable(),
  }),
  run: ({ path }, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const place = await workspace.place(path);
      const stats = await entryOf(place.folder, place.name);
      if (!stats) throw notFound('/path', JSON.stringify(place.path));
      if (stats.isSymbolicLink()) throw linkRefused(place.name, '/path');
      const sha256 = stats.isFile() ? await digestOf((await workspace.file(place)).handle, stats.size, ctx) : null;
      return {
        path: place.path,
        type: typeOf(stats),
        size_bytes: stats.size,
        modified_at: stats.mtime.toISOString(),
        created_at: stats.birthtime.toISOString(),
        permissions: (stats.mode & 0o777).toString(8).padStart(4, '0'),
        sha256,
      };
    }),
});
