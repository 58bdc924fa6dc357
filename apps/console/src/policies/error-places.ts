import type { Place, Scanned, Span } from './json-places.js';

/** An error of the gateway's check (`POST /v1/policies:check`). */
export interface PolicyError {
  path: string;
  code: string;
  rule: string | null;
  reason: string;
  position: { offset: number; line: number; column: number } | null;
}

/** An error where it stands in the text of the draft. */
export interface PlacedError extends Span {
  line: number;
  column: number;
  /** Id of the rule; undefined: the error is not in a rule. */
  rule?: string | undefined;
  /** JSON Pointer; undefined for a text that is not JSON. */
  pointer?: string | undefined;
  reason: string;
}

type Places = NonNullable<Scanned['places']>;

/** The errors of a draft, each at the text that its author can mend, in the order of the text. */
export function placeErrors(text: string, places: Places, errors: readonly PolicyError[]): PlacedError[] {
  const lines = new LineStarts(text);
  return errors
    .map((error) => {
      const span = spanOf(text, places, error);
      return { ...span, ...lines.at(span.from), rule: error.rule ?? undefined, pointer: error.path, reason: error.reason };
    })
    .sort((a, b) => a.from - b.from);
}

/** The fault of a text that is not JSON. */
export function placeFault(text: string, { from, to, reason }: Span & { reason: string }): PlacedError {
  return { from, to, ...new LineStarts(text).at(from), reason };
}

function spanOf(text: string, places: Places, { path, code, position }: PolicyError): Span {
  const { place, is_exact } = nearest(places, path);
  if (!is_exact) return firstLine(text, place);
  if (code === 'unknown_field' && place.name) return place.name;
  if (position === null || text[place.from] !== '"') return firstLine(text, place);
  const from = offsetInText(text, place.from, position.offset);
  return { from: Math.min(from, place.to - 1), to: place.to };
}

/** The place of a pointer, or of the value around it. */
function nearest(places: Places, path: string): { place: Place; is_exact: boolean } {
  for (const written of writtenForms(path)) {
    const place = places.get(written);
    if (place) return { place, is_exact: true };
  }
  let above = path;
  while (above !== '') {
    above = above.slice(0, above.lastIndexOf('/'));
    const place = places.get(above);
    if (place) return { place, is_exact: false };
  }
  return { place: places.get('') ?? { from: 0, to: 0 }, is_exact: false };
}

/** Selectors are kept as an object; their author may have written one name, or a list of names. */
function writtenForms(path: string): string[] {
  const [, rule, at] = /^(\/rules\/\d+\/tools)\/names\/(\d+)$/.exec(path) ?? [];
  return rule === undefined ? [path] : [path, `${rule}/${at}`, ...(at === '0' ? [rule] : [])];
}

/** Of an object or a list only its beginning: a mark over many lines says nothing. */
function firstLine(text: string, { from, to }: Span): Span {
  const end = text.indexOf('\n', from);
  return { from, to: end < 0 ? to : Math.min(to, end) };
}

/** The offset in a JSON text of a character of the string that begins at `from`: escapes are longer than what they mean. */
export function offsetInText(text: string, from: number, characters: number): number {
  let at = from + 1;
  for (let left = characters; left > 0 && at < text.length && text[at] !== '"'; left--) {
    if (text[at] !== '\\') at += 1;
    else at += text[at + 1] === 'u' ? 6 : 2;
  }
  return at;
}

/** Lines and columns of offsets, from 1. */
class LineStarts {
  private readonly starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }

  at(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.starts[low] as number) + 1 };
  }
}
