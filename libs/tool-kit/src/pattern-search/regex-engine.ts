import { RE2JS, RE2JSException } from 're2js';
import type { LineMatcher } from './line-search.js';
import type { PatternFault, SearchPattern } from './search-pattern.js';

/** Instructions of a compiled pattern: one step takes time and memory in proportion to them. */
const PROGRAM_MAX = 2_500;
/** Compiled patterns that a thread caches: each call uses two at most. */
const KEPT_MAX = 4;

/** A regular expression on RE2: linear in the text. */
export interface Regex extends LineMatcher {
  test(text: string): boolean;
}

/** Compiles patterns and caches the last few. */
export class RegexEngine {
  private readonly kept = new Map<string, Regex>();

  regex({ source, any_case }: SearchPattern): Regex | PatternFault {
    const name = `${any_case ? 'i' : ' '}${source}`;
    const known = this.kept.get(name);
    if (known) return known;
    const made = compiled(source, any_case);
    if ('reason' in made) return made;
    const [oldest] = this.kept.keys();
    if (this.kept.size >= KEPT_MAX && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(name, made);
    return made;
  }
}

function compiled(source: string, any_case: boolean): Regex | PatternFault {
  try {
    const program = RE2JS.compile(source, any_case ? RE2JS.CASE_INSENSITIVE : 0);
    const size = program.programSize();
    if (size > PROGRAM_MAX) return tooLarge(`${size} steps`);
    const test = (text: string) => program.test(text);
    const at = (line: string) => {
      if (!program.test(line)) return -1;
      const matcher = program.matcher(line);
      return matcher.find() ? matcher.start() : -1;
    };
    return { test, at };
  } catch (error) {
    if (error instanceof RE2JSException) return faultOf(error.message, source);
    throw error;
  }
}

function tooLarge(found: string): PatternFault {
  const message = `the pattern compiles to ${found}; at most ${PROGRAM_MAX} are allowed: repeat less, or in a shorter range`;
  return { reason: 'too_large', message, found };
}

function faultOf(text: string, source: string): PatternFault {
  const found = /`(.*)`$/s.exec(text)?.[1] ?? source;
  const what = text.replace(/^error parsing regexp: /, '');
  if (/too large|invalid repeat count/.test(what)) {
    const message = `the pattern repeats too much (${what}); the product of nested counts may be at most 1000`;
    return { reason: 'too_large', message, found };
  }
  const message = `the pattern is not a regular expression in RE2 syntax: ${what}`;
  return { reason: 'not_a_pattern', message, found };
}
