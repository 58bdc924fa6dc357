import { cut, piecesOf } from '../elements/inert-text.js';

const CHARACTERS_MAX = 120;
/** A field is looked through with each key that is pressed. */
const HIDDEN_SEARCHED = 10_000;

/** A value as the text of an option, which can hold no markup: hidden characters are written by name. */
export function optionText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const { shown, hidden } = cut(text, CHARACTERS_MAX);
  const written = piecesOf(shown).map((piece) => ('mark' in piece ? `[${piece.mark}]` : piece.text));
  return `${written.join('')}${hidden > 0 ? '…' : ''}` || '(empty text)';
}

/** Names of the characters in a text that a field does not show; empty: it has none. */
export function hiddenNames(text: string): string {
  const marks = piecesOf(cut(text, HIDDEN_SEARCHED).shown).flatMap((piece) => ('mark' in piece ? [piece.mark] : []));
  return [...new Set(marks)].slice(0, 8).join(', ');
}
