import { defineTool, ToolError } from '@countersign/tool-kit';
import type { OpenSearch } from '@countersign/tool-kit/pattern-search/pattern-search';
import { regexPattern, type SearchPattern, textPattern } from '@countersign/tool-kit/pattern-search/search-pattern';
import { z } from 'zod';
import { inWorkspace, type Workspace } from '../confine.js';
import { readBytes } from '../file-text.js';
import { globOf } from '../glob.js';
import { type Found, Walk, type Wanted } from '../walk.js';

const FILE_BYTES_MAX = 4 * 1024 * 1024;
const TOTAL_BYTES_MAX = 128 * 1024 * 1024;
const BINARY_PROBE_BYTES = 8 * 1024;

const input = z.strictObject({
  query: z.string().min(1).max(500),
  regex: z
    .boolean()
    .default(false)
    .describe('Take the query as a regular expression in RE2 syntax (no lookaround, no backreferences), matched within a line.'),
  case_sensitive: z.boolean().default(true),
  path: z.string().default('.').describe('Folder to search, relative to the workspace.'),
  files: z.string().min(1).max(256).optional().describe('Only files whose paths match this glob.'),
  limit: z.int().min(1).max(500).default(100),
});
const match = z.strictObject({ path: z.string(), line: z.int(), column: z.int(), text: z.string() });
type Input = z.output<typeof input>;

/** Finds lines in text files. Skipped files are counted: binary files, those over 4 MiB, unreadable ones. */
export const searchContent = defineTool({
  name: 'search_content',
  version: '1.1.0',
  title: 'Find text in files',
  description: 'Finds the lines of text files of the workspace that contain a text or match a regular expression.',
  category: 'workspace',
  effect_class: 'read_internal',
  max_output_bytes: 2 * 1024 * 1024,
  input,
  output: z.strictObject({
    path: z.string(),
    matches: z.array(match),
    searched: z.int(),
    skipped: z.strictObject({ binary: z.int(), too_large: z.int(), unreadable: z.int() }),
    truncated: z.boolean(),
  }),
  run: (input, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const pattern = patternOf(input);
      const open = await workspace.search();
      await open.check(pattern);
      const search = new Search(workspace, open, { pattern, limit: input.limit });
      const start = await workspace.folder(input.path);
      const walk = new Walk(workspace, { recursive: true, ...(await wantedBy(input, open)) });
      for await (const found of walk.entries(start)) {
        if (found.type === 'file' && found.wanted) await search.file(found);
        if (search.full) break;
      }
      const { searched, skipped } = search;
      return { path: start.path, matches: search.matches.slice(0, input.limit), searched, skipped, truncated: walk.cut || search.full };
    }),
});

function patternOf({ query, regex, case_sensitive }: Input): SearchPattern {
  return regex ? regexPattern(query, !case_sensitive, '/query') : textPattern(query, !case_sensitive, '/query');
}

async function wantedBy({ files }: Input, open: OpenSearch): Promise<{ wanted?: Wanted }> {
  if (files === undefined) return {};
  const { pattern, negated } = globOf(files, '/files');
  await open.check(pattern);
  return { wanted: async (paths) => (await open.whole(pattern, paths)).map((hit) => hit !== negated) };
}

/** One search: its matches and the skipped files. */
class Search {
  readonly matches: z.input<typeof match>[] = [];
  readonly skipped = { binary: 0, too_large: 0, unreadable: 0 };
  searched = 0;
  private bytes = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly open: OpenSearch,
    private readonly input: { pattern: SearchPattern; limit: number },
  ) {}

  /** Whether more matches than the limit were found, or 128 MiB were read. */
  get full(): boolean {
    return this.matches.length > this.input.limit || this.bytes > TOTAL_BYTES_MAX;
  }

  async file(found: Found): Promise<void> {
    if (found.stats.size > FILE_BYTES_MAX) return void this.skipped.too_large++;
    const bytes = await this.read(found);
    if (!bytes) return void this.skipped.unreadable++;
    this.bytes += bytes.length;
    if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return void this.skipped.binary++;
    this.searched++;
    const left = this.input.limit + 1 - this.matches.length;
    for (const hit of await this.open.lines(this.input.pattern, bytes, left)) this.matches.push({ path: found.path, ...hit });
  }

  private async read({ folder, name, bytes, path }: Found): Promise<Buffer | undefined> {
    if (this.workspace.ctx.signal.aborted) throw new ToolError('CANCELLED', 'the call was aborted while it searched', { effect: 'none' });
    try {
      const { handle, stats } = await this.workspace.file({ folder, name, bytes, path, pointer: '/path' });
      try {
        return await readBytes(handle, 0, Math.min(stats.size, FILE_BYTES_MAX));
      } finally {
        await this.workspace.release(handle);
      }
    } catch {
      return undefined;
    }
  }
}
