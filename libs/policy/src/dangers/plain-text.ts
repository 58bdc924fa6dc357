import type { Effort } from './effort.js';

/** Letters of other scripts that look like Latin ones. */
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

/** Lower-case text without what only hides it: compatibility forms, marks, invisible characters, look-alikes, odd spaces. */
function plain(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .replace(LOOKS, (letter) => LOOK_ALIKES[letter] ?? letter)
    .replace(/[\u2010-\u2015\u2212]/g, '-');
}

/** The text with `by` in place of each block comment; an unclosed comment is kept. */
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

/** Lines up to a comment, joined with the next one. */
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

/** Shell spelling that means nothing: quotes and backslashes inside words, `$IFS`, empty expansions, continued lines. */
function unquoted(text: string): string {
  return text
    .replace(/\\\r?\n/g, '')
    .replace(/\$(?:ifs\b|\{ifs[^}]{0,20}\})(?:\$\d)?/g, ' ')
    .replace(/\$(@|\*|\{\}|\(\))/g, '')
    .replace(/['"`\\]/g, '');
}

/** One space, or one line's end, for any run of them: no pattern meets two. */
const spaced = (text: string): string => text.replace(/\s\s+|[^\S\n ]/g, (run) => (run.includes('\n') ? '\n' : ' '));

/** What a character of text outside ASCII is charged beforehand: compatibility forms may be many times as long. */
const UNUSUAL_COST = 4;

/**
 * The ways to read a text that an interpreter might take: as it is, without comments, without quotes. Each once; undefined
 * where it is too large to be read.
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
