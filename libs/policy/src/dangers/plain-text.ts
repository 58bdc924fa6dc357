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

const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Mn}]/gu;
const LOOKS = new RegExp(`[${Object.keys(LOOK_ALIKES).join('')}]`, 'gu');

/** Lower-case text without what only hides it: compatibility forms, marks, invisible characters, look-alikes, odd spaces. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .replace(LOOKS, (letter) => LOOK_ALIKES[letter] ?? letter)
    .replace(/[\u2010-\u2015\u2212]/g, '-');
}

const BLOCK_COMMENT = /\/\*[\s\S]{0,2000}?\*\//g;

/** Shell spelling that means nothing: quotes and backslashes inside words, `$IFS`, empty expansions, continued lines. */
function unquoted(text: string): string {
  return text
    .replace(/\\\r?\n/g, '')
    .replace(/\$(?:ifs\b|\{ifs[^}]{0,20}\})(?:\$\d)?/g, ' ')
    .replace(/\$(@|\*|\{\}|\(\))/g, '')
    .replace(/['"`\\]/g, '');
}

const spaced = (text: string): string => text.replace(/[^\S\n]+/g, ' ');

/** The ways to read a text that an interpreter might take: as it is, without comments, without quotes. Each once. */
export function readings(text: string): string[] {
  const base = plain(text);
  const bare = base.replace(BLOCK_COMMENT, ' ');
  const joined = base.replace(BLOCK_COMMENT, '');
  const uncommented = bare.replace(/(--|#)[^\n]{0,2000}\n/g, ' ');
  return [...new Set([base, bare, joined, uncommented, unquoted(bare)].map(spaced))];
}
