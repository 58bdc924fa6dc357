import picomatch from 'picomatch';
import { refused } from './refusal.js';

/** A glob as a regular expression over paths with `/`. Extended globs such as +(a) are plain text. */
export function globExpression(pattern: string, pointer: string): RegExp {
  const expression = picomatch.makeRe(pattern, { dot: true, noextglob: true, posixSlashes: false, windows: false, maxLength: 256 });
  if (!(expression instanceof RegExp)) throw refused(pointer, 'not_a_pattern', 'the pattern is not a glob');
  return expression;
}
