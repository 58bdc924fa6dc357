import type { SearchPattern } from '@countersign/tool-kit/pattern-search/search-pattern';
import { refused } from './refusal.js';

/** Most numbers or letters that one range such as {1..20} may contain. */
const RANGE_MAX = 100;

/** A glob as a pattern over paths with `/`; with `negated` it selects the paths that do not match. */
export interface Glob {
  pattern: SearchPattern;
  negated: boolean;
}

/**
 * Supports `*`, `?`, `**` as a whole name, `[a-z]`, `[!a-z]`, `{a,b}`, `{1..3}`, `\` before a letter, and `!` at the start. Everything
 * else is plain text, including extended globs such as +(a). @throws ToolError if a range is too long
 */
export function globOf(text: string, pointer: string): Glob {
  const marks = /^!*/.exec(text)?.[0].length ?? 0;
  const source = new GlobTranslation(text.slice(marks).replace(/^(?:\.\/)+/, ''), pointer).regex();
  return { pattern: { kind: 'regex', source: `^(?s:${source})$`, any_case: false, pointer }, negated: marks % 2 === 1 };
}

/** Translates a glob in one pass into a regular expression without backtracking. */
class GlobTranslation {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly pointer: string,
  ) {}

  regex(): string {
    let out = '';
    while (this.at < this.text.length) out += this.part();
    return out;
  }

  private part(): string {
    const letter = this.text[this.at] as string;
    if (letter === '*') return this.stars();
    if (letter === '[') return this.letters();
    if (letter === '{') return this.braces();
    if (letter === '/' && /^\/\*\*(?:\/|$)/.test(this.text.slice(this.at, this.at + 4))) return this.folders();
    this.at++;
    if (letter === '?') return '[^/]';
    return quoted(letter === '\\' ? (this.text[this.at++] ?? letter) : letter);
  }

  /** `**` as a whole name crosses folders; other sequences of stars stay inside one name. */
  private stars(): string {
    const start = this.at;
    while (this.text[this.at] === '*') this.at++;
    const first = start === 0 || /[/{,]/.test(this.text[start - 1] as string);
    if (this.at - start !== 2 || !first) return '[^/]*';
    if (this.text[this.at] !== '/') return this.at === this.text.length || /[,}]/.test(this.text[this.at] as string) ? '.*' : '[^/]*';
    this.at++;
    return '(?:.*/)?';
  }

  /** `/` followed by `**`: any number of folders, including none. */
  private folders(): string {
    this.at += 3;
    if (this.at >= this.text.length) return '(?:/.*)?';
    this.at++;
    return '/(?:.*/)?';
  }

  private letters(): string {
    const found = /^\[([!^]?)((?:\\.|[^\\\]]|(?<=\[[!^]?)\])(?:\\.|[^\\\]])*)\]/s.exec(this.text.slice(this.at));
    if (!found) {
      this.at++;
      return '\\[';
    }
    this.at += found[0].length;
    const inside = (found[2] as string).replace(/\\(.)|([[\]^&])/gs, (_, escaped, plain) => quoted(escaped ?? plain));
    return found[1] ? `[^/${inside}]` : `[${inside}]`;
  }

  private braces(): string {
    const end = closing(this.text, this.at);
    const inside = this.text.slice(this.at + 1, end);
    const options = end === -1 ? [] : (this.range(inside) ?? split(inside));
    if (options.length < 2) {
      this.at++;
      return '\\{';
    }
    this.at = end + 1;
    return `(?:${options.map((option) => new GlobTranslation(option, this.pointer).regex()).join('|')})`;
  }

  private range(inside: string): string[] | undefined {
    const [, first = '', last = ''] = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])$/.exec(inside) ?? [];
    if (first === '' || /\d/.test(first) !== /\d/.test(last)) return undefined;
    const digits = /\d/.test(first);
    const [from, to] = digits ? [Number(first), Number(last)] : [first.charCodeAt(0), last.charCodeAt(0)];
    const length = Math.abs(to - from) + 1;
    if (length > RANGE_MAX)
      throw refused(this.pointer, 'range_too_long', `{${inside}} expands to ${length} names; at most ${RANGE_MAX} are allowed`);
    const each = Array.from({ length }, (_, n) => Math.min(from, to) + n);
    return each.map((value) => (digits ? String(value) : String.fromCharCode(value)));
  }
}

const quoted = (letter: string): string => letter.replace(/[\\^$.|?*+()[\]{}&-]/, '\\$&');

/** Index of the closing brace for `start`, or -1. */
function closing(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

/** Splits at commas outside of inner braces. */
function split(inside: string): string[] {
  const options: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < inside.length; at++) {
    if (inside[at] === '\\') at++;
    else if (inside[at] === '{') depth++;
    else if (inside[at] === '}') depth--;
    else if (inside[at] === ',' && depth === 0) {
      options.push(inside.slice(start, at));
      start = at + 1;
    }
  }
  return [...options, inside.slice(start)];
}
