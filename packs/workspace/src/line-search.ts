import type { LineMatch } from './matching.js';

const SHOWN_CHARS = 400;

/** The lines of a text in which `at` finds something (its position, or -1), at most `limit`. */
export function linesMatching(text: string, limit: number, at: (line: string) => number): LineMatch[] {
  const found: LineMatch[] = [];
  let line = 0;
  for (let start = 0; start <= text.length && found.length < limit; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    line++;
    const content = text.slice(start, end).replace(/\r$/, '');
    const column = at(content);
    if (column >= 0) found.push({ line, column: column + 1, text: shown(content, column) });
    start = end + 1;
  }
  return found;
}

/** A long line from a little before its match. */
function shown(line: string, column: number): string {
  const start = line.length <= SHOWN_CHARS ? 0 : Math.max(0, Math.min(column - 40, line.length - SHOWN_CHARS));
  return line.slice(start, start + SHOWN_CHARS).replace(/\p{Surrogate}/gu, '\ufffd');
}
