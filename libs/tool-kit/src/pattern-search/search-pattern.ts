import { ToolError } from '../tool-error.js';

const PATTERN_CHARS_MAX = 500;

/** The pattern of a search. `pointer` is the JSON Pointer of its input, which refusals name. */
export interface SearchPattern {
  kind: 'text' | 'regex';
  source: string;
  any_case: boolean;
  pointer: string;
}

/** Why a pattern is refused: a constant reason, what was found and where, and what would be valid. */
export interface PatternFault {
  reason: 'too_long' | 'lookaround' | 'backreference' | 'not_a_pattern' | 'too_large';
  message: string;
  found?: string;
  at?: number;
}

/** The refusal of a pattern: nothing was searched. */
export function patternRefused(pointer: string, { message, ...fault }: PatternFault): ToolError {
  return new ToolError('VALIDATION_ERROR', message, { class: 'validation', details: { path: pointer, ...fault }, effect: 'none' });
}

/**
 * A regular expression of a caller. One without operators becomes a plain text, which needs no engine.
 * @throws ToolError if it is too long or needs backtracking; the engine checks its syntax.
 */
export function regexPattern(source: string, any_case: boolean, pointer: string): SearchPattern {
  if (source.length > PATTERN_CHARS_MAX) {
    const message = `the pattern has ${source.length} characters; at most ${PATTERN_CHARS_MAX} are allowed`;
    throw patternRefused(pointer, { reason: 'too_long', message });
  }
  const fault = backtrackingPart(source);
  if (fault) throw patternRefused(pointer, fault);
  const kind = /[\\^$.|?*+()[\]{}]/.test(source) ? 'regex' : 'text';
  return { kind, source, any_case, pointer };
}

/** A text that is matched literally. */
export function textPattern(source: string, any_case: boolean, pointer: string): SearchPattern {
  return { kind: 'text', source, any_case, pointer };
}

/** The first lookaround or backreference outside of classes and quoted texts. One pass over the source. */
function backtrackingPart(source: string): PatternFault | undefined {
  let in_class = false;
  for (let at = 0; at < source.length; at++) {
    const letter = source[at];
    if (letter === '\\') {
      if (source[at + 1] === 'Q') {
        const end = source.indexOf('\\E', at);
        if (end === -1) return undefined;
        at = end;
      } else if (!in_class && /[1-9k]/.test(source[at + 1] ?? '')) return backreference(source.slice(at, at + 2), at);
      at++;
    } else if (in_class) in_class = letter !== ']';
    else if (letter === '[') {
      in_class = true;
      // A ] in first position is a letter of the class.
      if (source[at + 1] === '^') at++;
      if (source[at + 1] === ']') at++;
    } else if (letter === '(') {
      const opened = /^\(\?(?:<?[=!])/.exec(source.slice(at, at + 4))?.[0] ?? named(source, at);
      if (opened === '(?P=') return backreference(opened, at);
      if (opened !== undefined) return lookaround(opened, at);
    }
  }
  return undefined;
}

const named = (source: string, at: number): string | undefined => (source.startsWith('(?P=', at) ? '(?P=' : undefined);

function lookaround(found: string, at: number): PatternFault {
  const message = `the pattern has a lookaround (${found}) at character ${at + 1}; RE2 patterns do not support it: include the surrounding text in the match`;
  return { reason: 'lookaround', message, found, at };
}

function backreference(found: string, at: number): PatternFault {
  const message = `the pattern has a backreference (${found}) at character ${at + 1}; RE2 patterns do not support it: write the text out`;
  return { reason: 'backreference', message, found, at };
}
