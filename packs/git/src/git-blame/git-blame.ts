import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { checkedPath, pathInput, repoInput, revisionInput } from '../names.js';
import { notFound, refused } from '../refusal.js';
import { inRepository } from '../repository.js';

const LINES_MAX = 1_000;
const TEXT_CHARS_MAX = 500;

/** The author of each line of a file. */
export const gitBlame = defineTool({
  name: 'git_blame',
  version: '1.0.0',
  title: 'Git blame',
  description: 'Tells for each line of a file at a revision which commit and author it comes from; at most 1,000 lines at a time.',
  category: 'git',
  effect_class: 'read_internal',
  max_output_bytes: 4 * 1024 * 1024,
  input: z.strictObject({
    repo: repoInput,
    path: pathInput,
    revision: revisionInput.default('HEAD'),
    start_line: z.int().min(1).max(10_000_000).default(1),
    end_line: z.int().min(1).max(10_000_000).optional(),
  }),
  output: z.strictObject({
    path: z.string(),
    revision: z.string(),
    lines: z.array(
      z.strictObject({ line: z.int(), commit: z.string(), author_name: z.string(), authored_at: z.string(), text: z.string() }),
    ),
    truncated: z.boolean(),
  }),
  run: ({ repo, path, revision, start_line, end_line }, ctx) =>
    inRepository(repo, ctx, async (repository) => {
      const commit = await repository.commitOf(revision, '/revision');
      const file = checkedPath(path, '/path');
      if (end_line !== undefined && end_line < start_line) throw refused('/end_line', 'empty', 'the range ends before it starts');
      if ((await repository.try(['cat-file', '-e', `${commit}:${file}`])).code !== 0) throw notFound('/path', JSON.stringify(file));
      const last = Math.min(end_line ?? Number.MAX_SAFE_INTEGER, start_line + LINES_MAX - 1);
      const blamed = await repository.try(['blame', '--line-porcelain', '--no-textconv', `-L${start_line},${last}`, commit, '--', file]);
      // Git fails for an empty file, and for a start after the last line.
      if (blamed.code !== 0 && /has only \d+ lines?/.test(blamed.stderr))
        throw refused('/start_line', 'past_end', 'the file has fewer lines');
      if (blamed.code !== 0) throw refused('/path', 'not_a_file', 'the file cannot be split into lines');
      const lines = linesOf(blamed.stdout.toString('utf8'));
      return { path: file, revision: commit, lines, truncated: lines.length === LINES_MAX && (end_line === undefined || end_line > last) };
    }),
});

/** Parses `--line-porcelain`: a header line, named fields, and the text after a tab. */
function linesOf(output: string) {
  const lines = [];
  let current = { line: 0, commit: '', author_name: '', authored_at: '' };
  for (const row of output.split('\n')) {
    const header = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(row);
    if (row.startsWith('\t')) lines.push({ ...current, text: row.slice(1, 1 + TEXT_CHARS_MAX).replace(/\p{Surrogate}/gu, '\ufffd') });
    else if (header) current = { ...current, commit: header[1] as string, line: Number(header[2]) };
    else if (row.startsWith('author ')) current.author_name = row.slice(7);
    else if (row.startsWith('author-time ')) current.authored_at = new Date(Number(row.slice(12)) * 1000).toISOString();
  }
  return lines;
}
