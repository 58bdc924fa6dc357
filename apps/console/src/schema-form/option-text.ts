import { cut, piecesOf } from '../elements/inert-text.js';

const CHARACTERS_MAX = 120;

/** A value as the text of an option, which can hold no markup: hidden characters are written by name. */
export function optionText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const { shown, hidden } = cut(text, CHARACTERS_MAX);
  const written = piecesOf(shown).map((piece) => ('mark' in piece ? `[${piece.mark}]` : piece.text));
  return `${written.join('')}${hidden > 0 ? '…' : ''}` || '(empty text)';
}
