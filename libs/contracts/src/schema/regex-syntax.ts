import { anyButLineEnds, type CodePoints, classOf, complement, propertyOf } from './code-points.js';

/** The syntax tree of a regular expression. `look` is a lookaround: it consumes no characters. */
export type Regex =
  | { kind: 'set'; set: CodePoints }
  | { kind: 'sequence'; parts: Regex[] }
  | { kind: 'either'; options: Regex[] }
  | { kind: 'repeat'; body: Regex; min: number; max: number }
  | { kind: 'look'; body: Regex }
  | { kind: 'start' }
  | { kind: 'end' }
  | { kind: 'edge' };

const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, '0': 0 };
const NESTING_MAX = 30;

/** Parses a pattern that JavaScript accepts with or without the `u` flag. @throws SyntaxError if it cannot be analysed. */
export function parseRegex(pattern: string): Regex {
  const parser = new Parser([...pattern]);
  const tree = parser.either(0);
  if (!parser.done()) throw new SyntaxError('a closing bracket has no opening bracket');
  return tree;
}

class Parser {
  private at = 0;
  constructor(private readonly text: readonly string[]) {}

  done(): boolean {
    return this.at >= this.text.length;
  }

  either(depth: number): Regex {
    if (depth > NESTING_MAX) throw new SyntaxError(`it is nested deeper than ${NESTING_MAX}`);
    const options = [this.sequence(depth)];
    while (this.taken('|')) options.push(this.sequence(depth));
    return options.length === 1 ? (options[0] as Regex) : { kind: 'either', options };
  }

  private sequence(depth: number): Regex {
    const parts: Regex[] = [];
    while (!this.done() && this.here() !== '|' && this.here() !== ')') parts.push(this.repeated(this.atom(depth)));
    return parts.length === 1 ? (parts[0] as Regex) : { kind: 'sequence', parts };
  }

  private repeated(body: Regex): Regex {
    const count = this.count();
    if (!count) return body;
    this.taken('?');
    return { kind: 'repeat', body, min: count[0], max: count[1] };
  }

  private count(): [number, number] | undefined {
    if (this.taken('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.taken('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.taken('?')) return [0, 1];
    const match = /^\{(\d{1,6})(,(\d{0,6}))?\}/.exec(this.text.slice(this.at, this.at + 16).join(''));
    if (!match) return undefined;
    this.at += match[0].length;
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === '' ? Number.POSITIVE_INFINITY : Number(match[3]);
    return [min, max];
  }

  private atom(depth: number): Regex {
    const char = this.next();
    if (char === '(') return this.group(depth);
    if (char === '[') return { kind: 'set', set: this.charClass() };
    if (char === '.') return { kind: 'set', set: anyButLineEnds };
    if (char === '^') return { kind: 'start' };
    if (char === '$') return { kind: 'end' };
    if (char !== '\\') return { kind: 'set', set: only(char.codePointAt(0) as number) };
    if (this.taken('b') || this.taken('B')) return { kind: 'edge' };
    if (/[1-9k]/.test(this.here())) throw new SyntaxError('it has a backreference');
    return { kind: 'set', set: this.escape() };
  }

  private group(depth: number): Regex {
    let looks = false;
    if (this.taken('?')) {
      if (this.taken('=') || this.taken('!')) looks = true;
      else if (this.taken('<')) {
        if (this.taken('=') || this.taken('!')) looks = true;
        else while (this.next() !== '>');
      } else if (!this.taken(':')) throw new SyntaxError('it changes flags inside the expression');
    }
    const body = this.either(depth + 1);
    if (!this.taken(')')) throw new SyntaxError('a bracket is not closed');
    return looks ? { kind: 'look', body } : body;
  }

  private charClass(): CodePoints {
    const negated = this.taken('^');
    const found: (readonly [number, number])[] = [];
    while (this.here() !== ']') {
      const from = this.member();
      const single = from.length === 1 && from[0]?.[0] === from[0]?.[1];
      if (single && this.here() === '-' && this.text[this.at + 1] !== ']') {
        this.at++;
        const to = this.member();
        found.push([from[0]?.[0] as number, to[0]?.[1] as number]);
      } else found.push(...from);
    }
    this.at++;
    return negated ? complement(found) : found;
  }

  private member(): CodePoints {
    const char = this.next();
    if (char !== '\\') return only(char.codePointAt(0) as number);
    return this.taken('b') ? only(8) : this.escape();
  }

  private escape(): CodePoints {
    const letter = this.next();
    const known = classOf(letter);
    if (known) return known;
    if (letter === 'p' || letter === 'P') {
      const name = /^\{([^}]{1,60})\}/.exec(this.text.slice(this.at, this.at + 64).join(''));
      if (!name) return only(letter.codePointAt(0) as number);
      this.at += name[0].length;
      // The complement of an overestimate is an underestimate, which must not be used.
      return letter === 'p' ? propertyOf(name[1] as string) : [[0, 0x10ffff]];
    }
    const hex = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\})/.exec(
      [letter, ...this.text.slice(this.at, this.at + 9)].join(''),
    );
    if (hex) {
      this.at += hex[0].length - 1;
      return only(Number.parseInt((hex[1] ?? hex[2] ?? hex[3]) as string, 16));
    }
    if (letter === 'c') return only((this.next().codePointAt(0) as number) % 32);
    return only(controls[letter] ?? (letter.codePointAt(0) as number));
  }

  private here(): string {
    if (this.done()) return '';
    return this.text[this.at] as string;
  }

  private next(): string {
    const char = this.text[this.at++];
    if (char === undefined) throw new SyntaxError('it is incomplete');
    return char;
  }

  private taken(char: string): boolean {
    if (this.here() !== char) return false;
    this.at++;
    return true;
  }
}

function only(code: number): CodePoints {
  return [[code, code]];
}
