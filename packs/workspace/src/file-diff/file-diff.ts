import { defineTool } from '@countersign/tool-kit';
import { createTwoFilesPatch } from 'diff';
import { z } from 'zod';
import { inWorkspace, type Workspace } from '../confine.js';
import { fitting, readBytes, textOf } from '../file-text.js';
import { refused } from '../refusal.js';

const FILE_BYTES_MAX = 1024 * 1024;
const DIFF_BYTES_MAX = 500 * 1024;
/** The comparison runs on the main thread of the process. */
const TIME_MS = 250;

/** Compares a file with another, or with a content, as a unified diff. */
export const fileDiff = defineTool({
  name: 'file_diff',
  version: '1.0.0',
  title: 'Compare files',
  description: 'Compares a text file of the workspace with another one, or with a given content, and answers a unified diff.',
  category: 'workspace',
  effect_class: 'read_internal',
  max_output_bytes: 512 * 1024,
  input: z.strictObject({
    path: z.string().describe('Path of the file, relative to the workspace: the old side.'),
    other_path: z.string().optional().describe('The new side; give either this or content.'),
    content: z.string().max(FILE_BYTES_MAX).optional(),
    context_lines: z.int().min(0).max(50).default(3),
  }),
  output: z.strictObject({
    path: z.string(),
    other_path: z.string().nullable(),
    identical: z.boolean(),
    diff: z.string(),
    added: z.int(),
    removed: z.int(),
    truncated: z.boolean(),
  }),
  run: (input, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const { other_path, content } = input;
      if ((other_path === undefined) === (content === undefined))
        throw refused('/other_path', 'one_of', 'set either other_path or content, not both');
      const old = await textAt(workspace, input.path, '/path');
      const now = other_path === undefined ? { path: null, text: content ?? '' } : await textAt(workspace, other_path, '/other_path');
      const patch = createTwoFilesPatch(old.path, now.path ?? old.path, old.text, now.text, '', '', {
        context: input.context_lines,
        timeout: TIME_MS,
      });
      if (patch === undefined) throw refused('/path', 'too_different', 'the files differ too much to be compared line by line');
      const identical = old.text === now.text;
      const diff = identical ? '' : fitting(patch.slice(patch.indexOf('--- ')), DIFF_BYTES_MAX);
      const [added, removed] = [countOf(patch, '+'), countOf(patch, '-')];
      return { path: old.path, other_path: now.path, identical, diff, added, removed, truncated: !identical && !patch.endsWith(diff) };
    }),
});

async function textAt(workspace: Workspace, path: string, pointer: string): Promise<{ path: string; text: string }> {
  const place = await workspace.place(path, pointer);
  const { handle, stats } = await workspace.file(place);
  if (stats.size > FILE_BYTES_MAX) throw refused(pointer, 'too_large', `the file is larger than ${FILE_BYTES_MAX} bytes`);
  return { path: place.path, text: textOf(await readBytes(handle, 0, stats.size), pointer) };
}

/** Number of lines in the hunks that begin with a sign, without the two header lines. */
function countOf(patch: string, sign: '+' | '-'): number {
  const begin = patch.indexOf('\n@@');
  if (begin < 0) return 0;
  const hunks = patch.slice(begin);
  return hunks.split('\n').filter((line) => line.startsWith(sign)).length;
}
