import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScratchWorkspace } from '../scratch-workspace.js';
import { fileDiff } from './file-diff.js';

let scratch: ScratchWorkspace;
beforeEach(async () => {
  scratch = new ScratchWorkspace();
  await scratch.fill({ 'a.txt': 'one\ntwo\n', 'b.txt': 'one\n2\nthree\n', 'empty.txt': '' });
});
afterEach(() => scratch.remove());

const compared = (inputs: Record<string, unknown>) => fileDiff.run({ context_lines: 3, ...inputs } as never, scratch.context());

test('only added and removed lines are counted', async () => {
  expect(await compared({ path: 'a.txt', other_path: 'b.txt' })).toMatchObject({ identical: false, added: 2, removed: 1 });
});

test.each([
  { path: 'a.txt', other_path: 'a.txt' },
  { path: 'a.txt', content: 'one\ntwo\n' },
  { path: 'empty.txt', content: '' },
])('what is identical has no changed lines: %j', async (inputs) => {
  expect(await compared(inputs)).toMatchObject({ identical: true, diff: '', added: 0, removed: 0 });
});
