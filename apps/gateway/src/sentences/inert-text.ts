/** Characters of one value in a sentence. */
export const VALUE_CHARS_MAX = 80;

/** Everything that could change how the text around it is shown, or pass for markup or for the quotes around a value. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}<>\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u201c\u201d\u115f\u1160\u3164\uffa0]|[\ufe00-\ufe0f]/gu;
/** More combining marks than one letter of any script needs: they would cover the text around them. */
const STACKED = /(\p{M}{3})\p{M}+/gu;

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) as number).toString(16)}}`;

/**
 * Text of a tool or an agent that is safe inside a sentence: control, invisible and direction characters, `<`, `>` and curved quotes are
 * escaped as `\u{…}`, and long text is cut. Reads no more of the text than it shows.
 */
export function inertText(text: string, chars_max = VALUE_CHARS_MAX): { text: string; cut: boolean } {
  const kept = Array.from(text.slice(0, 2 * chars_max)).slice(0, chars_max);
  const cut = kept.join('').length < text.length;
  return { text: kept.join('').replace(STACKED, '$1').replace(UNSAFE, escaped), cut };
}

/** A text as a value in a sentence: in quotes, which it cannot contain itself, with its length if it is cut. */
export function quoted(value: string, chars_max = VALUE_CHARS_MAX): string {
  const { text, cut } = inertText(value, chars_max);
  return cut ? `“${text}…” (${value.length} characters)` : `“${text}”`;
}
