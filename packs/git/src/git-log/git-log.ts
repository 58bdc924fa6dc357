import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { checkedPath, pathInput, repoInput, revisionInput } from '../names.js';
import { inRepository } from '../repository.js';

const FIELDS = ['%H', '%P', '%an', '%ae', '%aI', '%s', '%b'];
const BODY_CHARS_MAX = 1_000;

/** Commits, newest first. */
export const gitLog = defineTool({
  name: 'git_log',
  version: '1.0.0',
  title: 'Git log',
  description: 'Lists the commits that a revision of a git repository contains, newest first, optionally only those of one path.',
  category: 'git',
  effect_class: 'read_internal',
  max_output_bytes: 2 * 1024 * 1024,
  input: z.strictObject({
    repo: repoInput,
    revision: revisionInput.default('HEAD'),
    path: pathInput.optional(),
    skip: z.int().min(0).max(1_000_000).default(0),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.strictObject({
    commits: z.array(
      z.strictObject({
        commit: z.string(),
        parents: z.array(z.string()),
        author_name: z.string(),
        author_email: z.string(),
        authored_at: z.string(),
        subject: z.string(),
        body: z.string(),
      }),
    ),
    truncated: z.boolean(),
  }),
  run: ({ repo, revision, path, skip, limit }, ctx) =>
    inRepository(repo, ctx, async (repository) => {
      const commit = await repository.commitOf(revision, '/revision');
      const paths = path === undefined ? [] : [checkedPath(path, '/path')];
      const text = await repository.run([
        'log',
        '-z',
        '--no-color',
        '--no-show-signature',
        '--no-ext-diff',
        '--no-textconv',
        `--format=${FIELDS.join('%x00')}`,
        `--skip=${skip}`,
        `--max-count=${limit + 1}`,
        commit,
        '--',
        ...paths,
      ]);
      const all = commitsOf(text);
      return { commits: all.slice(0, limit), truncated: all.length > limit };
    }),
});

/** Fields and records both end in NUL, which no field can contain. */
function commitsOf(text: string) {
  const values = text.split('\0');
  const commits = [];
  for (let at = 0; at + FIELDS.length <= values.length; at += FIELDS.length) {
    const [commit = '', parents = '', author_name = '', author_email = '', authored_at = '', subject = '', body = ''] = values.slice(at);
    commits.push({
      commit,
      parents: parents.split(' ').filter(Boolean),
      author_name,
      author_email,
      authored_at,
      subject: subject.slice(0, BODY_CHARS_MAX),
      body: body.slice(0, BODY_CHARS_MAX).trim(),
    });
  }
  return commits;
}
