import type { Effort } from './effort.js';

/** Letters of other scripts that look like Latin letters. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  ...{
    а: 'a',
    в: 'b',
    е: 'e',
    ѕ: 's',
    і: 'i',
    ј: 'j',
    к: 'k',
    м: 'm',
    н: 'h',
    о: 'o',
    р: 'p',
    с: 'c',
    т: 't',
    у: 'y',
    х: 'x',
    ԁ: 'd',
    ո: 'n',
    ӏ: 'l',
  },
  ...{ α: 'a', β: 'b', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x' },
  ...{ ı: 'i', ȷ: 'j', ɑ: 'a', ɡ: 'g' },
};

const PLAIN = /^[\t\n\r\x20-\x7e]*$/;
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Mn}]/gu;
const LOOKS = new RegExp(`[${Object.keys(LOOK_ALIKES).join('')}]`, 'gu');

/** Lower-case text without obfuscation: compatibility forms, marks, invisible characters, look-alikes and unusual dashes are normalized. */
function plain(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .replace(LOOKS, (letter) => LOOK_ALIKES[letter] ?? letter)
    .replace(/[\u2010-\u2015\u2212]/g, '-');
}

/** Replaces each block comment with `by`; an unclosed comment is kept. */
function withoutBlocks(text: string, by: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let open = text.indexOf('/*'); open >= 0; open = text.indexOf('/*', from)) {
    const close = text.indexOf('*/', open + 2);
    if (close < 0) break;
    parts.push(text.slice(from, open));
    from = close + 2;
  }
  return from === 0 ? text : [...parts, text.slice(from)].join(by);
}

/** Cuts each line at a comment and joins it with the next line. */
function withoutLineComments(text: string): string {
  if (!text.includes('\n') || !/--|#/.test(text)) return text;
  const lines = text.split('\n');
  const last = lines.pop() as string;
  const bare = lines.map((line) => {
    const at = line.search(/--|#/);
    return at < 0 ? `${line}\n` : `${line.slice(0, at)} `;
  });
  return bare.join('') + last;
}

/** Removes shell syntax without effect: quotes and backslashes inside words, `$IFS`, empty expansions, line continuations. */
function unquoted(text: string): string {
  return text
    .replace(/\\\r?\n/g, '')
    .replace(/\$(?:ifs\b|\{ifs[^}]{0,20}\})(?:\$\d)?/g, ' ')
    .replace(/\$(@|\*|\{\}|\(\))/g, '')
    .replace(/['"`\\]/g, '');
}

/** Collapses whitespace to one space, or one line feed, so that patterns need not handle runs. */
const spaced = (text: string): string => text.replace(/\s\s+|[^\S\n ]/g, (run) => (run.includes('\n') ? '\n' : ' '));

/** Advance cost of a character of non-ASCII text: its compatibility form may be several times as long. */
const UNUSUAL_COST = 4;

/**
 * The readings of a text that an interpreter might use: as it is, without comments, without quotes. Distinct; undefined if the text is too
 * large.
 */
export function readings(text: string, effort: Effort): string[] | undefined {
  if (!effort.read(PLAIN.test(text) ? 0 : text.length * UNUSUAL_COST) || !effort.read(text.length)) return undefined;
  const base = plain(text);
  if (!effort.read(base.length - text.length)) return undefined;
  const bare = withoutBlocks(base, ' ');
  const ways = [...new Set([base, bare, withoutBlocks(base, ''), withoutLineComments(bare), unquoted(bare)])];
  if (!effort.read(ways.reduce((sum, way) => sum + way.length, -base.length))) return undefined;
  return [...new Set(ways.map(spaced))];
}
