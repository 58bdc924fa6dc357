import { pointerTo } from '../elements/json-pointer.js';

/** A stretch of a text, by offsets. */
export interface Span {
  from: number;
  to: number;
}

/** Where a value stands in a JSON text, and its name if it is a member of an object. */
export interface Place extends Span {
  name?: Span;
}

/** Why a text is not JSON, or not one that can be meant. */
export interface TextFault extends Span {
  reason: string;
}

/** Every value of a JSON text by its JSON Pointer, or the first fault. */
export type Scanned = { places: ReadonlyMap<string, Place>; fault: undefined } | { places: undefined; fault: TextFault };

const DEPTH_MAX = 64;
const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[\w$.+-]+/y;
const QUOTE = 34;
const BACKSLASH = 92;
const LINE_END = 10;
const FIRST_VISIBLE = 32;
const WORDS = new Set(['true', 'false', 'null']);

class Fault extends Error {
  constructor(readonly fault: TextFault) {
    super(fault.reason);
  }
}

/** Reads a JSON text (RFC 8259) for the places of its values. A name that stands twice in one object is a fault. */
export function scanJson(text: string): Scanned {
  try {
    return { places: new Scanner(text).scan(), fault: undefined };
  } catch (error) {
    if (error instanceof Fault) return { places: undefined, fault: error.fault };
    throw error;
  }
}

class Scanner {
  private at = 0;
  private readonly places = new Map<string, Place>();

  constructor(private readonly text: string) {}

  scan(): ReadonlyMap<string, Place> {
    this.value('', 0);
    this.space();
    if (this.at < this.text.length) throw this.fault('is after the end of the policy: remove it');
    return this.places;
  }

  private value(pointer: string, depth: number, name?: Span): void {
    this.space();
    const from = this.at;
    const first = this.text[from];
    if (depth > DEPTH_MAX) throw this.fault('is nested too deeply');
    if (first === '{') this.object(pointer, depth);
    else if (first === '[') this.list(pointer, depth);
    else if (first === '"') this.string();
    else this.scalar();
    this.places.set(pointer, { from, to: this.at, ...(name && { name }) });
  }

  private object(pointer: string, depth: number): void {
    const names = new Set<string>();
    this.items('}', () => {
      if (this.text[this.at] !== '"') throw this.fault('is not a name: names of fields stand in double quotation marks');
      const span = this.string();
      const name = JSON.parse(this.text.slice(span.from, span.to)) as string;
      if (names.has(name))
        throw new Fault({ ...span, reason: `the field ${name.slice(0, 80)} stands twice: only one of them would count` });
      names.add(name);
      this.space();
      if (this.text[this.at] !== ':') throw this.fault('is not a colon: one is needed between name and value');
      this.at += 1;
      this.value(pointerTo(pointer, name), depth + 1, span);
    });
  }

  private list(pointer: string, depth: number): void {
    let index = 0;
    this.items(']', () => this.value(pointerTo(pointer, index++), depth + 1));
  }

  /** Items with commas between them, until `end`. */
  private items(end: '}' | ']', item: () => void): void {
    const open = this.at;
    this.at += 1;
    this.space();
    if (this.text[this.at] === end) {
      this.at += 1;
      return;
    }
    for (;;) {
      this.space();
      item();
      this.space();
      const next = this.text[this.at];
      this.at += 1;
      if (next === end) return;
      if (next === undefined) throw new Fault({ from: open, to: open + 1, reason: `has no end: its ${end} is missing` });
      this.at -= next === ',' ? 0 : 1;
      if (next !== ',') throw this.fault(`is not a comma or ${end}: one of them is needed after a value`);
      this.space();
      if (this.text[this.at] === end) throw new Fault({ ...this.spanBefore(), reason: `the comma before ${end} is one too many` });
    }
  }

  private string(): Span {
    const from = this.at;
    const fault = (at: number, reason: string) => new Fault({ from: Math.min(at, from), to: Math.max(at, from + 1), reason });
    for (let at = from + 1; ; ) {
      const code = this.text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        return { from, to: this.at };
      }
      if (Number.isNaN(code) || code === LINE_END)
        throw fault(at, 'this text has no end: its quotation mark is missing (write a line end as \\n)');
      if (code < FIRST_VISIBLE) throw fault(at, 'a control character stands in this text: write it as \\t or \\u0000');
      if (code === BACKSLASH) {
        this.at = at;
        const end = this.match(ESCAPE);
        if (end === undefined) throw new Fault({ from: at, to: at + 2, reason: 'a \\ is followed by one of " \\ / b f n r t u' });
        at = end;
      } else at += 1;
    }
  }

  private scalar(): void {
    const word = this.text.slice(this.at, this.match(WORD) ?? this.at);
    const number_end = this.match(NUMBER);
    if (number_end !== undefined && number_end === this.at + word.length && word !== '') this.at = number_end;
    else if (WORDS.has(word)) this.at += word.length;
    else throw this.fault('is not a value: a text in double quotation marks, a number, true, false, null, [ or { is needed');
  }

  private space(): void {
    this.at = this.match(SPACE) ?? this.at;
  }

  private match(pattern: RegExp): number | undefined {
    pattern.lastIndex = this.at;
    return pattern.test(this.text) ? pattern.lastIndex : undefined;
  }

  private spanBefore(): Span {
    const at = this.text.lastIndexOf(',', this.at);
    return { from: at, to: at + 1 };
  }

  /** A fault at the word that stands here, or at the end of the text. */
  private fault(reason: string): Fault {
    const from = Math.min(this.at, Math.max(0, this.text.length - 1));
    if (this.at >= this.text.length) return new Fault({ from, to: this.text.length, reason: 'the text ends here, before the policy does' });
    const to = Math.max(this.match(WORD) ?? 0, this.at + 1);
    return new Fault({ from, to, reason: `${this.text.slice(from, Math.min(to, from + 40))} ${reason}` });
  }
}
