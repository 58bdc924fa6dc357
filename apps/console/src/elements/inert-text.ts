/** Longer texts are cut; a person may ask for all of it. */
export const SHOWN_CHARACTERS = 600;
/** Beyond this a text is offered for copying only: a page of it would stop the browser. */
export const SHOWN_CHARACTERS_MAX = 50_000;
/** Pieces that are drawn: a text of nothing but hidden characters is cut there. */
export const PIECES_MAX = 2_000;

/** A piece of text as it is, or the name of a character that would not be seen or would change how its neighbours are read. */
export type Piece = { text: string } | HiddenCharacter;

/** `count`: how often it stands there in a row. */
export interface HiddenCharacter {
  mark: string;
  name: string;
  count: number;
}

const NAMES: Readonly<Record<number, string>> = {
  0: 'NUL',
  7: 'BEL',
  8: 'BS',
  11: 'VT',
  12: 'FF',
  13: 'CR',
  27: 'ESC',
  127: 'DEL',
  173: 'SHY',
  1564: 'ALM',
  6158: 'MVS',
  8203: 'ZWSP',
  8204: 'ZWNJ',
  8205: 'ZWJ',
  8206: 'LRM',
  8207: 'RLM',
  8232: 'LS',
  8233: 'PS',
  8234: 'LRE',
  8235: 'RLE',
  8236: 'PDF',
  8237: 'LRO',
  8238: 'RLO',
  8288: 'WJ',
  8294: 'LRI',
  8295: 'RLI',
  8296: 'FSI',
  8297: 'PDI',
  65279: 'BOM',
};

/**
 * Controls other than tab and line feed, marks of direction, invisible characters, private use, halves of pairs, and variation selectors
 * that no emoji has. Joiners between emoji, and between letters of scripts that need them, are left alone; between Latin letters they hide.
 */
const HIDDEN =
  /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|(?!\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek})[\p{L}\p{M}])\p{Join_Control}|\p{Join_Control}(?!\p{Extended_Pictographic}|(?!\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek})[\p{L}\p{M}])|(?![\t\n]|\p{Join_Control})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]|(?<!\p{Emoji})\p{Variation_Selector}|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/gu;

/** `\r\n` is a line end like any other. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const source = text.replaceAll('\r\n', '\n');
  for (const { 0: found, index } of source.matchAll(HIDDEN)) {
    if (index > from) pieces.push({ text: source.slice(from, index) });
    const hidden = markOf(found.codePointAt(0) as number);
    const last = pieces.at(-1);
    if (index === from && last && 'mark' in last && last.name === hidden.name) last.count += 1;
    else pieces.push(hidden);
    from = index + found.length;
  }
  if (from < source.length) pieces.push({ text: source.slice(from) });
  return pieces;
}

function markOf(code: number): HiddenCharacter {
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return { mark: NAMES[code] ?? hex, name: hex, count: 1 };
}

/** The beginning of a text, never half of a character. */
export function cut(text: string, characters_max: number): { shown: string; hidden: number } {
  if (text.length <= characters_max) return { shown: text, hidden: 0 };
  const code = text.charCodeAt(characters_max - 1);
  const end = code >= 0xd800 && code <= 0xdbff ? characters_max - 1 : characters_max;
  return { shown: text.slice(0, end), hidden: text.length - end };
}
