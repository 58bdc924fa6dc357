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

/** Finds a text in a line whatever the case of its letters; answers its position in the line as it stands, or -1. */
export function anyCase(text: string): (line: string) => number {
  const wanted = text.toLowerCase();
  return (line) => {
    const lower = line.toLowerCase();
    const at = lower.indexOf(wanted);
    if (at <= 0 || lower.length === line.length) return at;
    // Some letters are longer in lower case (İ): what stands before is counted letter by letter.
    let start = 0;
    let low = 0;
    for (const letter of line) {
      low += letter.toLowerCase().length;
      if (low > at) break;
      start += letter.length;
    }
    return start;
  };
}

/** A long line from a little before its match. */
function shown(line: string, column: number): string {
  const start = line.length <= SHOWN_CHARS ? 0 : Math.max(0, Math.min(column - 40, line.length - SHOWN_CHARS));
  return line.slice(start, start + SHOWN_CHARS).replace(/\p{Surrogate}/gu, '\ufffd');
}
