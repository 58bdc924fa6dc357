import { CST, Lexer } from 'yaml';
import { LEVELS_MAX } from './json-hazards.js';

/** Where a block collection may begin. Each level of them begins further to the right, except a list in a map: twice as many levels at most. */
const COLUMN_MAX = 160;

/** What JSON does not have, by its first character. The parser takes time that grows with the square of their number. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  '*': 'aliases are not taken: write the value where it is needed',
  '&': 'anchors are not taken: write the value where it is needed',
  '!': 'tags are not taken',
  '%': 'directives are not taken',
  '?': 'explicit keys are not taken: write `key: value`',
};
const CLOSES: Readonly<Record<string, string>> = { ']': '[', '}': '{' };
const MARKS: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.SCALAR, CST.FLOW_END, '\uFEFF']);

/**
 * Looks at each token once, before the parser builds anything of them. The parser is recursive: where V8 compiles an expression
 * with the stack nearly used up it ends the process, and nothing can catch that. So what is nested too deep must not reach it.
 */
class TokenCheck {
  private readonly open: string[] = [];
  private column = 0;
  /** Where the key of this part of the line begins. */
  private key: number | undefined;

  /** Why the text is not taken. `is_scalar`: whatever it begins with, it is a value. */
  fault(token: string, is_scalar: boolean): string | undefined {
    const found = is_scalar ? undefined : this.ofSyntax(token);
    if (this.open.length === 0) this.follow(token, is_scalar);
    if (token === CST.FLOW_END) this.open.length = 0;
    if (!MARKS.has(token) || is_scalar) this.move(token);
    return found;
  }

  private ofSyntax(token: string): string | undefined {
    const refused = NOT_TAKEN[token[0] ?? ''];
    if (refused) return refused;
    if (token === '[' || token === '{') {
      if (this.open.push(token) > LEVELS_MAX) return `is nested more than ${LEVELS_MAX} levels deep`;
    } else if (token in CLOSES && this.open.pop() !== CLOSES[token]) return `${token} closes nothing`;
    if (this.open.length > 0 || (token !== '-' && token !== ':')) return undefined;
    const begin = token === ':' ? (this.key ?? this.column) : this.column;
    return begin > COLUMN_MAX ? `a block begins after column ${COLUMN_MAX}` : undefined;
  }

  /** Outside of brackets: a new key may begin after an indicator. */
  private follow(token: string, is_scalar: boolean): void {
    if (!is_scalar && (token === '-' || token === ':')) this.key = undefined;
    else if (is_scalar || !/^(\s|#)/.test(token)) this.key ??= this.column;
  }

  private move(token: string): void {
    const newline = token.lastIndexOf('\n');
    this.column = newline < 0 ? this.column + token.length : token.length - newline - 1;
    if (newline >= 0 && this.open.length === 0) this.key = undefined;
  }
}

/** YAML has none of them, and some are marks among the tokens. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\x7f]/;

/** Why a text is not taken, with its line; undefined where the parser may read it. */
export function tokenFault(text: string): string | undefined {
  if (CONTROLS.test(text)) return 'control characters are not taken';
  const check = new TokenCheck();
  let line = 1;
  let before = '';
  for (const token of new Lexer().lex(text)) {
    const fault = check.fault(token, before === CST.SCALAR);
    if (fault !== undefined) return `line ${line}: ${fault}`;
    for (let at = token.indexOf('\n'); at >= 0; at = token.indexOf('\n', at + 1)) line++;
    before = token;
  }
  return undefined;
}
