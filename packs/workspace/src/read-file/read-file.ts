import type { FileHandle } from 'node:fs/promises';
import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { inWorkspace } from '../confine.js';
import { fitting, readBytes, sha256Of, textOf, WHOLE_BYTES_MAX, wholeCharacters } from '../file-text.js';
import { refused } from '../refusal.js';

const OUTPUT_BYTES = 512 * 1024;
const CONTENT_BYTES = OUTPUT_BYTES - 8 * 1024;
/** Bytes that fit as base64. */
const BINARY_BYTES = Math.floor(CONTENT_BYTES / 4) * 3 - 3;

const lines = z
  .strictObject({ start_line: z.int().min(1), end_line: z.int().min(1).optional() })
  .describe('Lines, counted from 1, both ends included.');
const bytes = z
  .strictObject({ start_byte: z.int().min(0), end_byte: z.int().min(0).optional() })
  .describe('Bytes, counted from 0, end excluded.');

const input = z.strictObject({
  path: z.string().describe('Path of the file, relative to the workspace.'),
  encoding: z.enum(['utf8', 'base64']).default('utf8'),
  range: z.union([lines, bytes]).optional(),
});
const output = z.strictObject({
  path: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  content: z.string(),
  size_bytes: z.int(),
  /** Of the whole file; null if only a part of a large file was read. */
  sha256: z.string().nullable(),
  /** The range of `content`, which is smaller than the requested range if `truncated`. */
  range: z.union([
    z.strictObject({ start_line: z.int(), end_line: z.int(), lines_total: z.int() }),
    z.strictObject({ start_byte: z.int(), end_byte: z.int() }),
  ]),
  truncated: z.boolean(),
});
type Input = z.output<typeof input>;
type Part = Pick<z.input<typeof output>, 'content' | 'range' | 'truncated'>;

/** Reads a file or a part of it; cuts at 504 KiB, which the output states. */
export const readFile = defineTool({
  name: 'read_file',
  version: '1.0.0',
  title: 'Read a file',
  description: 'Reads a file of the workspace, whole or a range of lines or bytes, as text or base64. A long answer is cut and says so.',
  category: 'workspace',
  effect_class: 'read_internal',
  max_output_bytes: OUTPUT_BYTES,
  input,
  output,
  run: (input, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const place = await workspace.place(input.path);
      const { handle, stats } = await workspace.file(place);
      const whole = stats.size <= WHOLE_BYTES_MAX ? await readBytes(handle, 0, stats.size) : undefined;
      const size_bytes = whole?.length ?? stats.size;
      const part =
        input.range && 'start_line' in input.range
          ? linesOf(whole, input.range, input.encoding)
          : await bytesOf(handle, input.range ?? { start_byte: 0 }, size_bytes, input.encoding);
      return { path: place.path, encoding: input.encoding, size_bytes, sha256: whole ? sha256Of(whole) : null, ...part };
    }),
});

function linesOf(whole: Buffer | undefined, range: z.output<typeof lines>, encoding: Input['encoding']): Part {
  if (encoding !== 'utf8') throw refused('/range', 'lines_of_text', 'a range of lines requires encoding utf8');
  if (!whole) throw refused('/range', 'too_large', `the file is larger than ${WHOLE_BYTES_MAX} bytes: request a range of bytes`);
  const all = textOf(whole).match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const { start_line } = range;
  const end_line = Math.min(range.end_line ?? all.length, all.length);
  if (range.end_line !== undefined && range.end_line < start_line) throw refused('/range', 'empty', 'the range ends before it starts');
  if (start_line > Math.max(all.length, 1)) throw refused('/range', 'past_end', `the file has ${all.length} lines`);
  const selected = all.slice(start_line - 1, end_line).join('');
  const content = fitting(selected, CONTENT_BYTES);
  const shown = content.length === selected.length ? end_line : start_line - 1 + (content.match(/[^\n]*\n|[^\n]+$/g)?.length ?? 0);
  return { content, range: { start_line, end_line: shown, lines_total: all.length }, truncated: content.length < selected.length };
}

async function bytesOf(handle: FileHandle, range: z.output<typeof bytes>, size_bytes: number, encoding: Input['encoding']): Promise<Part> {
  const end = Math.min(range.end_byte ?? size_bytes, size_bytes);
  if (range.end_byte !== undefined && range.end_byte < range.start_byte)
    throw refused('/range', 'empty', 'the range ends before it starts');
  if (range.start_byte > size_bytes) throw refused('/range', 'past_end', `the file has ${size_bytes} bytes`);
  const length = end - range.start_byte;
  const read = await readBytes(handle, range.start_byte, Math.min(length, encoding === 'utf8' ? CONTENT_BYTES : BINARY_BYTES));
  if (encoding === 'base64') {
    return { content: read.toString('base64'), range: spanOf(range.start_byte, read.length), truncated: read.length < length };
  }
  const part = range.start_byte > 0 || read.length < size_bytes ? wholeCharacters(read) : { bytes: read, skipped: 0 };
  if (read.length > 0 && part.bytes.length === 0)
    throw refused('/range', 'part_of_character', 'the range holds no whole character: request a wider range, or use encoding base64');
  const content = fitting(textOf(part.bytes), CONTENT_BYTES);
  const shown = Buffer.byteLength(content);
  return { content, range: spanOf(range.start_byte + part.skipped, shown), truncated: shown < length };
}

function spanOf(start_byte: number, length: number) {
  return { start_byte, end_byte: start_byte + length };
}
