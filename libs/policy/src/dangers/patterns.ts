import { CommandChain } from './command-chain.js';
import type { Effort } from './effort.js';

/** An operation that destroys or takes over, recognized by its text. */
export interface Danger {
  id: string;
  /** Recovery is impossible: denied instead of approved. */
  fatal?: boolean;
  /** Checks a reading of the text (lower case, single spaces). Linear in its length, or limited by the effort. */
  found(text: string, effort: Effort): boolean;
}

const by = (id: string, pattern: RegExp, fatal = false): Danger => ({ id, fatal, found: (text) => pattern.test(text) });

/** Separators of shell commands. */
const COMMAND = ';&|\\n';
/** Separators of command lines, which may contain pipes. */
const LINE = ';\\n';

const inOne = (breaks: string, gap: number, ...steps: string[]): Danger['found'] => {
  const chain = new CommandChain({ breaks, gap }, steps);
  return (text, effort) => chain.found(text, effort);
};

const either = (id: string, found: readonly Danger['found'][], fatal = false): Danger => ({
  id,
  fatal,
  found: (text, effort) => found.some((one) => one(text, effort)),
});

const SHELL = '(?:ba|z|da|k|c|tc|fi|a)?sh|python\\d?|perl|ruby|node|php|pwsh|powershell|iex';
const START = '(?:^|[;&|\\n(`]|\\b(?:sudo|exec|then|do|else|xargs|nohup|env|command|time)\\s)\\s*(?:\\/(?:usr\\/)?s?bin\\/)?';
const TARGET = '[\\w."\\x60\\[\\]$-]+';

const statements = (text: string): string[] => text.split(';');
const WHERE = /\bwhere\b\s*(?!\(?\s*(?:true\b|1\s*=\s*1\b|(['"]?)(\w+)\1\s*=\s*\1\2\1(?!\w)|not false\b))/;

function withoutWhere(start: RegExp): (text: string) => boolean {
  return (text) => statements(text).some((statement) => start.test(statement) && !WHERE.test(statement.slice(statement.search(start))));
}

const RM = '\\brm(?=\\s)';
const RECURSIVE = '(?<=\\s)(?:-[a-qs-z]*r[a-z]*|--recursive)(?=\\s|$)';
const ANY_RECURSIVE = '-[a-qs-z]*r|--recursive';
const ROOT = '(?<=\\s)(?:--no-preserve-root|\\/\\*?|~\\/?\\*?|\\$home\\/?\\*?|\\/(?:etc|usr|var|home|boot|bin|lib)\\/?\\*?)(?=\\s|$)';
const GIT = '\\bgit(?=\\s)';
const PIPED = `\\|\\s*(?:sudo\\s+)?(?:\\S{0,40}\\/)?(?:${SHELL})\\b`;

export const dangers: readonly Danger[] = [
  either('shell.rm_root', [inOne(COMMAND, 200, RM, ANY_RECURSIVE, ROOT), inOne(COMMAND, 200, RM, ROOT, ANY_RECURSIVE)], true),
  either('shell.rm_recursive', [inOne(COMMAND, 200, RM, RECURSIVE)]),
  either('shell.find_delete', [inOne(COMMAND, 300, '\\bfind(?=\\s)', '-delete\\b|-exec\\s+rm\\b')]),
  by('shell.format_disk', new RegExp(`${START}(?:mkfs(?:\\.\\w+)?|wipefs|mke2fs)\\s`), true),
  either(
    'shell.write_disk',
    [inOne(COMMAND, 200, '\\bdd(?=\\s)', '\\bof=\\/dev\\/'), (text) => />\s?\/dev\/(?:sd|nvme|hd|vd|xvd|disk)/.test(text)],
    true,
  ),
  by('shell.shred', new RegExp(`${START}shred\\s`)),
  by('shell.fork_bomb', /:\s?\(\s?\)\s?\{\s?:\s?\|\s?:\s?&\s?\}\s?;\s?:/, true),
  by('shell.power', new RegExp(`${START}(?:shutdown|reboot|halt|poweroff|init [06])(?=\\s|$|[;&|])`)),
  either('shell.open_permissions', [inOne(COMMAND, 100, '\\bchmod(?=\\s)', '(?<=\\s)(?:(?:0?[0-7]?777|(?:a|ugo)?\\+rwx|a=rwx|u\\+s)\\b)')]),
  either('shell.take_ownership', [inOne(COMMAND, 100, '\\bchown(?=\\s)', '(?<=\\s)(?:-[a-qs-z]*r[a-z]*|--recursive)(?=\\s)')]),
  either('shell.download_and_run', [inOne(LINE, 500, '\\b(?:curl|wget|fetch|iwr|invoke-webrequest)\\b', PIPED)]),
  either('shell.run_download', [inOne(LINE, 100, `\\b(?:${SHELL}|eval|source)\\b`, '(?:<\\(|\\$\\(|\\x60)\\s*(?:curl|wget)\\b')]),
  either('shell.decode_and_run', [inOne(LINE, 300, '\\b(?:base64|xxd|openssl)\\b', PIPED)]),
  either('shell.reverse_shell', [(text) => /\/dev\/(?:tcp|udp)\//.test(text), inOne(LINE, 100, '\\bnc\\b', '(?<=\\s)-[a-z]*e\\b')]),
  by('shell.kill_all', /\bkill\s+-(?:9|kill)\s+-1\b/),
  by('shell.crontab_remove', /\bcrontab\s+-r\b/),
  either('windows.delete_tree', [
    inOne(LINE, 200, '\\bremove-item\\b', '-recurse'),
    inOne(LINE, 100, '\\b(?:del|erase|rd|rmdir)(?=\\s)', '\\/s\\b'),
    (text) => /\bformat(?:-volume\b| [a-z]:)/.test(text),
  ]),
  either('git.force_push', [
    inOne(COMMAND, 200, GIT, '\\bpush\\b', '(?<=\\s)(?:--(?:force|mirror|delete|prune)|-[abceg-z]*[fd][a-z]*(?=\\s|$)|\\+\\S)'),
  ]),
  either('git.reset_hard', [inOne(COMMAND, 200, GIT, '\\breset\\b', '(?<=\\s)--hard\\b')]),
  either('git.clean', [inOne(COMMAND, 200, GIT, '\\bclean\\b', '(?<=\\s)(?:-[a-eg-z]*f|--force)')]),
  either('git.rewrite', [
    inOne(
      COMMAND,
      200,
      GIT,
      '\\b(?:filter-branch|filter-repo|update-ref\\s+-d|reflog\\s+(?:expire|delete)|branch\\s+(?:-d\\s+-f|-[a-ce-z]*d[a-z]*\\s+--force|--delete\\s+--force))',
    ),
  ]),
  by('sql.drop', /\bdrop\s+(?:table|database|schema|view|materialized|index|user|role|tablespace|column|keyspace|collection)\b/),
  by('sql.truncate', new RegExp(`\\btruncate\\s+table\\b|(?:^|[;\\n])\\s*truncate\\s+${TARGET}\\s*(?:$|[;,]|cascade|restart)`)),
  { id: 'sql.delete_all', found: withoutWhere(new RegExp(`\\bdelete\\s+from\\s+(?:only\\s+)?${TARGET}`)) },
  {
    id: 'sql.update_all',
    found: withoutWhere(new RegExp(`(?:^|[\\n(])\\s*update\\s+(?:only\\s+)?${TARGET}(?:\\s+(?:as\\s+)?\\w+)?\\s+set\\s`)),
  },
  either('sql.alter_drop', [inOne(';', 300, '\\balter\\s+table\\b', '\\bdrop\\b')]),
  by('sql.grant_all', /\bgrant\s+all\b/),
  by('store.flush', /(?:^|[\s;])flush(?:all|db)\b|\bdropdatabase\s*\(|\bdb\.\w+\.drop\s*\(|\bdeletemany\s*\(\s*\{\s*\}\s*\)/),
  either('code.delete_tree', [
    (text) => /\bshutil\s*\.\s*rmtree\s*\(|\brimraf\b/.test(text),
    inOne(')', 200, '\\bfs\\s*\\.\\s*rm(?:sync)?\\s*\\(', 'recursive'),
  ]),
  either('cloud.destroy', [
    inOne(LINE, 100, '\\bterraform(?=\\s)', '\\bdestroy\\b'),
    inOne(LINE, 100, '\\bkubectl(?=\\s)', '\\bdelete\\s+(?:ns|namespace|pvc?|all)\\b'),
    inOne(LINE, 100, '\\bkubectl(?=\\s)', '\\bdelete\\b', '--all\\b'),
    inOne(LINE, 200, '\\baws\\s+s3\\s+(?:rb|rm)\\b', '--(?:force|recursive)'),
    (text) => /\bdocker\s+(?:system|volume)\s+prune\b|\bhelm\s+(?:uninstall|delete)\s/.test(text),
  ]),
];
