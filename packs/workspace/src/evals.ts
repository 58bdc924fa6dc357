import type { ContractTestOptions, EvalPacks, Golden, ResourceStates } from '@countersign/tool-kit/eval-pack';
import { expect } from '@countersign/tool-kit/expect';
import { ScratchWorkspace } from './scratch-workspace.js';

let scratch: ScratchWorkspace | undefined;
const world = (): ScratchWorkspace => {
  scratch ??= new ScratchWorkspace();
  return scratch;
};

const files = {
  'a.txt': 'one\ntwo\nthree\n',
  'docs/b.md': '# Title\ntwo\n',
  'data.bin': Buffer.from([0, 255, 1]),
  'large.txt': 'line of text\n'.repeat(80_000),
};
const golden: Record<string, [Golden, ...Golden[]]> = {
  delete_file: [
    { title: 'a file', input: { path: 'a.txt' }, expects: () => expect(Object.keys(world().snapshot())).not.toContain('a.txt') },
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
const states: Record<string, ResourceStates[]> = {
  delete_file: [{ title: 'a file that was written again', a: { path: 'a.txt' }, b: () => world().fill({ 'a.txt': 'new\n' }) }],
  move_file: [
    {
      title: 'there, back and there',
      a: { source: 'a.txt', destination: 'new/z.txt' },
      b: { source: 'new/z.txt', destination: 'a.txt' },
    },
  ],
  write_file: [
    {
      title: 'two contents of a file',
      a: { path: 'a.txt', content: '2', mode: 'overwrite' },
      b: { path: './a.txt', content: '3', mode: 'overwrite' },
    },
    {
      title: 'a content before an end',
      a: { path: 'a.txt', content: '2', mode: 'overwrite' },
      b: { path: 'a.txt', content: '3', mode: 'append' },
    },
    {
      title: 'two ends of a file',
      a: { path: 'a.txt', content: 'four\n', mode: 'append' },
      b: { path: 'a.txt', content: 'five\n', mode: 'append' },
    },
  ],
};
const large: Record<string, Record<string, unknown>> = {
  file_diff: { path: 'large.txt', content: 'x' },
  list_directory: { recursive: true },
  read_file: { path: 'large.txt' },
  search_content: { query: 'line', limit: 500 },
};
const slow: Record<string, Record<string, unknown>> = {
  // Linear, but with 900 states for each letter, and no two parts of the text are equal.
  search_content: { query: 'a[ab]{900}!', regex: true },
};
const lettersOf = (length: number): string => {
  let state = 1;
  const letters = Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 1 ? 'a' : 'b';
  });
  return `${letters.join('')}!`;
};
const own: Record<string, Record<string, string>> = { search_content: { 'letters.txt': lettersOf(1 << 19) } };

const evalOf = (name: string, inputs: [Golden, ...Golden[]]): ContractTestOptions => ({
  golden: inputs,
  counterpart: {
    prepare: () => world().fill({ ...files, ...own[name] }),
    clean: async () => {
      scratch?.remove();
      scratch = undefined;
    },
    settings: () => world().settings,
    snapshot: async () => world().snapshot(),
  },
  generated_runs: 15,
  volatile: [/\d{4}-\d\d-\d\dT[\d:.]+Z/g],
  ...(states[name] && { states: states[name] }),
  ...(large[name] && { large: large[name] }),
  ...(slow[name] && { slow: slow[name] }),
});

/** The eval packs of this pack's tools. */
export const evals: EvalPacks = Object.fromEntries(Object.entries(golden).map(([name, inputs]) => [name, evalOf(name, inputs)]));
