import { rm } from 'node:fs/promises';
import { contractTests, type Golden } from '@countersign/tool-kit/contract-tests';
import { afterAll, expect } from '@jest/globals';
import { pack } from './index.js';
import { ScratchWorkspace } from './scratch-workspace.js';

const scratch = new ScratchWorkspace();
afterAll(() => scratch.remove());

const files = {
  'a.txt': 'one\ntwo\nthree\n',
  'docs/b.md': '# Title\ntwo\n',
  'data.bin': Buffer.from([0, 255, 1]),
  'large.txt': 'line of text\n'.repeat(80_000),
};
const golden: Record<string, [Golden, ...Golden[]]> = {
  delete_file: [
    { title: 'a file', input: { path: 'a.txt' }, expects: () => expect(Object.keys(scratch.snapshot())).not.toContain('a.txt') },
  ],
  file_diff: [
    { title: 'two files', input: { path: 'a.txt', other_path: 'docs/b.md' } },
    {
      title: 'a file and a content',
      input: { path: 'a.txt', content: 'one\n2\nthree\n' },
      expects: (o) => expect(o).toMatchObject({ added: 1, removed: 1, identical: false }),
    },
    {
      title: 'the same content',
      input: { path: 'a.txt', content: files['a.txt'] },
      expects: (o) => expect(o).toMatchObject({ identical: true, diff: '' }),
    },
  ],
  file_metadata: [
    { title: 'a file', input: { path: 'a.txt' }, expects: (o) => expect(o).toMatchObject({ type: 'file', size_bytes: 14 }) },
    { title: 'a folder', input: { path: 'docs' } },
  ],
  list_directory: [
    {
      title: 'the root',
      input: {},
      expects: (o) =>
        expect(o).toMatchObject({
          entries: [{ path: 'a.txt' }, { path: 'data.bin' }, { path: 'docs', type: 'directory' }, { path: 'large.txt' }],
        }),
    },
    { title: 'all below', input: { recursive: true, limit: 3 }, expects: (o) => expect(o).toMatchObject({ truncated: true }) },
  ],
  move_file: [{ title: 'to a new folder', input: { source: 'a.txt', destination: 'new/folder/z.txt' } }],
  read_file: [
    { title: 'whole', input: { path: 'a.txt' }, expects: (o) => expect(o).toMatchObject({ content: files['a.txt'], truncated: false }) },
    {
      title: 'lines',
      input: { path: 'a.txt', range: { start_line: 2, end_line: 2 } },
      expects: (o) => expect(o).toMatchObject({ content: 'two\n', range: { start_line: 2, end_line: 2, lines_total: 3 } }),
    },
    {
      title: 'bytes',
      input: { path: 'data.bin', encoding: 'base64', range: { start_byte: 1, end_byte: 2 } },
      expects: (o) => expect(o).toMatchObject({ content: '/w==' }),
    },
  ],
  search_content: [
    {
      title: 'a text',
      input: { query: 'two' },
      expects: (o) =>
        expect(o).toMatchObject({
          matches: [{ path: 'a.txt', line: 2, column: 1, text: 'two' }, { path: 'docs/b.md' }],
          skipped: { binary: 1 },
        }),
    },
    {
      title: 'an expression in some files',
      input: { query: '^T.t', regex: true, case_sensitive: false, files: '**/*.txt' },
      expects: (o) => expect(o).toMatchObject({ matches: [] }),
    },
  ],
  search_files: [
    {
      title: 'a glob',
      input: { pattern: '**/*.md' },
      expects: (o) => expect(o).toMatchObject({ files: [{ path: 'docs/b.md' }], searched: 4 }),
    },
  ],
  write_file: [
    { title: 'a new file in a new folder', input: { path: 'x/y.txt', content: 'hello' } },
    { title: 'over an old one', input: { path: 'a.txt', content: 'new', mode: 'overwrite' } },
    { title: 'behind an old one', input: { path: 'a.txt', content: 'four\n', mode: 'append' } },
  ],
};
const large: Record<string, Record<string, unknown>> = {
  file_diff: { path: 'large.txt', content: 'x' },
  list_directory: { recursive: true },
  read_file: { path: 'large.txt' },
  search_content: { query: 'line', limit: 500 },
};

for (const tool of pack.tools) {
  const { name } = tool.contract;
  contractTests(tool, {
    golden: golden[name] as [Golden, ...Golden[]],
    settings: () => scratch.settings,
    prepare: () => scratch.fill(files),
    clean: () => rm(scratch.root, { recursive: true }),
    snapshot: async () => scratch.snapshot(),
    generated_runs: 15,
    ...(large[name] && { large: large[name] }),
  });
}
