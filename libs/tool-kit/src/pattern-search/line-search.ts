import type { LineMatch } from './pattern-search.js';

const SHOWN_CHARS = 400;
const NEWLINE = 10;

/** Where a search continues: the offset of the first byte of a line, and the number of lines before it. */
export interface LineCursor {
  at: number;
  line: number;
}

/** Returns the position of a match in a line, or -1. A text without the bytes of `needle` has no matching line. */
export interface LineMatcher {
  at(line: string): number;
  needle?: Buffer;
}

/** The hits, and where to continue; no cursor: the text is finished, or the limit is reached. */
export interface LinesFound {
  hits: LineMatch[];
  cursor?: LineCursor;
}

/** Searches the lines from `start` on until there are `limit` hits or `pause` returns true, which is checked after each line. */
export function searchLines(bytes: Buffer, start: LineCursor, matcher: LineMatcher, limit: number, pause: () => boolean): LinesFound {
  const hits: LineMatch[] = [];
  let cursor = start;
  while (cursor.at <= bytes.length && hits.length < limit) {
    const from = matcher.needle ? lineWith(bytes, cursor, matcher.needle) : cursor;
    if (!from) return { hits };
    const newline = bytes.indexOf(NEWLINE, from.at);
    const end = newline === -1 ? bytes.length : newline;
    const content = bytes.toString('utf8', from.at, end).replace(/\r$/, '');
    const column = matcher.at(content);
    if (column >= 0) hits.push({ line: from.line + 1, column: column + 1, text: shown(content, column) });
    cursor = { at: end + 1, line: from.line + 1 };
    if (pause() && cursor.at <= bytes.length && hits.length < limit) return { hits, cursor };
  }
  return { hits };
}

/** The first line from the cursor on in which the needle starts. */
function lineWith(bytes: Buffer, { at, line }: LineCursor, needle: Buffer): LineCursor | undefined {
  const found = bytes.indexOf(needle, at);
  if (found === -1) return undefined;
  let start = at;
  let before = line;
  for (let i = at; i < found; i++) {
    if (bytes[i] !== NEWLINE) continue;
    before++;
    start = i + 1;
  }
  return { at: start, line: before };
}

/** Matches a text literally. */
export function asWritten(text: string): LineMatcher {
  const at = (line: string) => line.indexOf(text);
  // Invalid UTF-8 is read as U+FFFD, so its bytes differ from those of the text.
  return /[\p{Surrogate}\ufffd]/u.test(text) ? { at } : { at, needle: Buffer.from(text) };
}

/** Matches a text regardless of case; the position refers to the original line. */
export function anyCase(text: string): LineMatcher {
  const wanted = text.toLowerCase();
  const at = (line: string): number => {
    const lower = line.toLowerCase();
    const found = lower.indexOf(wanted);
    if (found <= 0 || lower.length === line.length) return found;
    // Some letters are longer in lower case (İ): the position is counted letter by letter.
    let start = 0;
    let low = 0;
    for (const letter of line) {
      low += letter.toLowerCase().length;
      if (low > found) break;
      start += letter.length;
    }
    return start;
  };
  return { at };
}

/** Cuts a long line to the part around its match. */
function shown(line: string, column: number): string {
  const start = line.length <= SHOWN_CHARS ? 0 : Math.max(0, Math.min(column - 40, line.length - SHOWN_CHARS));
  return line.slice(start, start + SHOWN_CHARS).replace(/\p{Surrogate}/gu, '\ufffd');
}
