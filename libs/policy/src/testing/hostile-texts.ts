const LENGTH = 200_000;
const repeated = [
  'curl ',
  'rm - ',
  'rm -rr! ',
  'git push ',
  'git;',
  '/* ',
  '/**/',
  'delete from x;',
  'update a set ',
  'find ',
  '\\',
  "'",
].concat(
  ['\n', '\n( ', ' \n', '    ', '#', '-- ', '--\n', '\u200b', '\ufdfa', '`', '$ifs', '{ifs', 'fs.rm(', 'chmod ', 'alter table a '],
  ["where 'a", 'base64 |', 'aws s3 rm ', 'git rm curl sh nc del kubectl\n', 'a', 'ж', 'sudo ', '|sh '],
);
/** Texts of 200 KB, each repeating the beginning of some danger: a careless expression would rescan the text at every character. */
export const hostileTexts: readonly string[] = [
  ...repeated.map((part) => part.repeat(Math.ceil(LENGTH / part.length))),
  `rm -${'r'.repeat(LENGTH)}!`,
  `git push -${'f'.repeat(LENGTH)}!`,
  `delete from x where ${'a'.repeat(LENGTH / 2)}=${'a'.repeat(LENGTH / 2)}b`,
];
