const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
/** A pause after so many characters: a millisecond or two. */
const STRETCH = 200_000;
const DEPTH_MAX = 200;
/** Of one member or item: it is parsed at once. */
const VALUE_CHARACTERS_MAX = 8_000_000;
const SPACES_MAX = 100_000;

/** The text is not the JSON of an object. */
export class NotJson extends SyntaxError {}

/**
 * Parses a large JSON object in parts, with pauses: each member of it, and each item of a list in it, is parsed for itself. The result is
 * that of JSON.parse. @throws SyntaxError
 */
export function* parseInParts(text: string): Generator<undefined, Record<string, unknown>, void> {
  const scan = new Scan(text);
  const parsed: Record<string, unknown> = Object.create(null);
  scan.expect(OPEN_OBJECT);
  if (scan.skip(CLOSE_OBJECT)) return scan.end(parsed);
  do {
    const name: unknown = JSON.parse(yield* scan.value());
    if (typeof name !== 'string') throw new NotJson('a name of a member is not a text');
    scan.expect(COLON);
    parsed[name] = scan.isAt(OPEN_LIST) ? yield* listOf(scan) : JSON.parse(yield* scan.value());
  } while (scan.skip(COMMA));
  scan.expect(CLOSE_OBJECT);
  return scan.end(parsed);
}

function* listOf(scan: Scan): Generator<undefined, unknown[], void> {
  const items: unknown[] = [];
  scan.expect(OPEN_LIST);
  if (scan.skip(CLOSE_LIST)) return items;
  do {
    items.push(JSON.parse(yield* scan.value()));
    yield;
  } while (scan.skip(COMMA));
  scan.expect(CLOSE_LIST);
  return items;
}

/** Finds where values end, without understanding them. */
class Scan {
  private at = 0;
  private read = 0;

  constructor(private readonly text: string) {}

  /** The text of the next value. */
  *value(): Generator<undefined, string, void> {
    this.space();
    const from = this.at;
    let depth = 0;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (Number.isNaN(code)) throw new NotJson('the text ends inside a value');
      if (depth === 0 && this.at > from && (code === COMMA || code === COLON || code === CLOSE_LIST || code === CLOSE_OBJECT)) break;
      if (code === QUOTE) yield* this.string();
      else this.at += 1;
      if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
      if (depth < 0 || depth > DEPTH_MAX) throw new NotJson('the text is nested wrongly or too deep');
      if (this.at - from > VALUE_CHARACTERS_MAX) throw new NotJson('a part of the text is too large');
      if (this.at - this.read > STRETCH) yield this.stretch();
    }
    return this.text.slice(from, this.at);
  }

  private *string(): Generator<undefined, void, void> {
    for (this.at += 1; ; this.at += 1) {
      const code = this.text.charCodeAt(this.at);
      if (Number.isNaN(code)) throw new NotJson('the text ends inside a text');
      if (code === BACKSLASH) this.at += 1;
      else if (code === QUOTE) break;
      if (this.at - this.read > STRETCH) yield this.stretch();
    }
    this.at += 1;
  }

  private stretch(): undefined {
    this.read = this.at;
  }

  isAt(code: number): boolean {
    this.space();
    return this.text.charCodeAt(this.at) === code;
  }

  skip(code: number): boolean {
    if (!this.isAt(code)) return false;
    this.at += 1;
    return true;
  }

  expect(code: number): void {
    if (!this.skip(code)) throw new NotJson(`${String.fromCharCode(code)} is missing at character ${this.at}`);
  }

  end<T>(parsed: T): T {
    this.space();
    if (this.at !== this.text.length) throw new NotJson(`more text follows at character ${this.at}`);
    return parsed;
  }

  private space(): void {
    const until = this.at + SPACES_MAX;
    while (this.at < until && isSpace(this.text.charCodeAt(this.at))) this.at += 1;
  }
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;
