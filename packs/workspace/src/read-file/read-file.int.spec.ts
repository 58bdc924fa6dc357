import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScratchWorkspace } from '../scratch-workspace.js';
import { readFile } from './read-file.js';

const scratch = new ScratchWorkspace();
const text = 'aé漢😀'.repeat(200_000);
beforeAll(() =>
  scratch.fill({
    'text.txt': text,
    'latin1.txt': Buffer.from([0x61, 0xe9, 0x62]),
    'empty.txt': '',
    'controls.txt': '\u0001'.repeat(300_000),
    'huge.bin': Buffer.alloc(17 * 1024 * 1024, 1),
    'no-newline.txt': 'one\ntwo',
  }),
);
afterAll(() => scratch.remove());
const read = (input: object) =>
  readFile.run(input as never, scratch.context()) as Promise<{
    content: string;
    truncated: boolean;
    range: { start_byte: number; end_byte: number };
  }>;

test('a range of bytes never cuts a character, and the parts together give the file', async () => {
  let [at, whole, rounds] = [0, '', 0];
  for (; rounds < 20; rounds++) {
    const part = await read({ path: 'text.txt', range: { start_byte: at } });
    whole += part.content;
    expect(part.range.start_byte).toBe(at);
    at = part.range.end_byte;
    if (!part.truncated) break;
  }
  expect(whole).toBe(text);
  expect(rounds).toBeGreaterThan(1);
});

test('a range that starts inside a character starts at the next one, and reports that', async () => {
  expect(await read({ path: 'text.txt', range: { start_byte: 2, end_byte: 9 } })).toMatchObject({
    content: '漢',
    range: { start_byte: 3, end_byte: 6 },
    truncated: true,
  });
});

test.each([
  [{ start_byte: 0, end_byte: 5 }, 'aé', { start_byte: 0, end_byte: 3 }, true],
  [{ start_byte: 2, end_byte: 3 }, undefined, undefined, true],
  [{ start_byte: 4, end_byte: 6 }, undefined, undefined, true],
  [{ start_byte: 6, end_byte: 8 }, undefined, undefined, true],
  [{ start_byte: 1, end_byte: 6 }, 'é漢', { start_byte: 1, end_byte: 6 }, false],
  [{ start_byte: 3, end_byte: 3 }, '', { start_byte: 3, end_byte: 3 }, false],
])(
  'the range %j is answered whole, says that it is not, or is refused where it holds no character',
  async (range, content, shown, truncated) => {
    const outcome = await read({ path: 'text.txt', range }).catch((error: unknown) => error);
    if (content === undefined) expect(outcome).toMatchObject({ more: { details: { reason: 'part_of_character' }, effect: 'none' } });
    else expect(outcome).toMatchObject({ content, range: shown, truncated });
    const part = await read({ path: 'text.txt', encoding: 'base64', range });
    expect(part).toMatchObject({ range, truncated: false });
    expect(Buffer.from(part.content, 'base64')).toEqual(Buffer.from(text).subarray(range.start_byte, range.end_byte));
  },
);

test('an output stays below its limit even if JSON makes it six times longer', async () => {
  const part = await read({ path: 'controls.txt' });
  expect(part.truncated).toBe(true);
  expect(JSON.stringify(part).length).toBeLessThan(readFile.contract.max_output_bytes);
});

test('content that is not UTF-8 is refused as text and returned as base64', async () => {
  await expect(read({ path: 'latin1.txt' })).rejects.toMatchObject({ more: { details: { reason: 'not_utf8' }, effect: 'none' } });
  expect(await read({ path: 'latin1.txt', encoding: 'base64' })).toMatchObject({ content: 'Yeli' });
});

test('an empty file and a last line without a line end are read', async () => {
  expect(await read({ path: 'empty.txt' })).toMatchObject({ content: '', truncated: false });
  expect(await read({ path: 'empty.txt', range: { start_line: 1 } })).toMatchObject({ content: '' });
  expect(await read({ path: 'no-newline.txt', range: { start_line: 2 } })).toMatchObject({
    content: 'two',
    range: { end_line: 2, lines_total: 2 },
  });
});

test('a file over 16 MiB is read in ranges of bytes only, without its digest', async () => {
  await expect(read({ path: 'huge.bin', range: { start_line: 1 } })).rejects.toMatchObject({ more: { details: { reason: 'too_large' } } });
  expect(await read({ path: 'huge.bin', encoding: 'base64', range: { start_byte: 17 * 1024 * 1024 - 1 } })).toMatchObject({
    content: 'AQ==',
    sha256: null,
  });
});

test.each([{ start_line: 9 }, { start_line: 2, end_line: 1 }, { start_byte: 99 }, { start_byte: 2, end_byte: 1 }])(
  'the range %p of a file of 2 lines is refused',
  async (range) => {
    await expect(read({ path: 'no-newline.txt', range })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  },
);
