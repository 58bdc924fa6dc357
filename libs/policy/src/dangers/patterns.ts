/** An operation that destroys or takes over, as text gives it away. */
export interface Danger {
  id: string;
  /** Nothing is left to recover from: denied, not asked for. */
  fatal?: boolean;
  /** On a reading of the text: lower case, single spaces. */
  found(text: string): boolean;
}

const by = (id: string, pattern: RegExp, fatal = false): Danger => ({ id, fatal, found: (text) => pattern.test(text) });

const SHELL = '(?:ba|z|da|k|c|tc|fi|a)?sh|python\\d?|perl|ruby|node|php|pwsh|powershell|iex';
const START = '(?:^|[;&|\\n(`]|\\b(?:sudo|exec|then|do|else|xargs|nohup|env|command|time)\\s)\\s*(?:\\/(?:usr\\/)?s?bin\\/)?';
const TARGET = '[\\w."\\x60\\[\\]$-]+';

const statements = (text: string): string[] => text.split(';');
const WHERE = /\bwhere\b\s*(?!\(?\s*(?:true\b|1\s*=\s*1\b|(['"]?)(\w+)\1\s*=\s*\1\2\1(?!\w)|not false\b))/;

function withoutWhere(start: RegExp): (text: string) => boolean {
  return (text) => statements(text).some((statement) => start.test(statement) && !WHERE.test(statement.slice(statement.search(start))));
}

/** `rm` with a flag for recursion, however the flags are written. */
const RM = /\brm\s(?:[^;&|\n]{0,200}\s)?(?:-[a-z]*r[a-z]*|--recursive)(?=\s|$)/;
const RM_ROOT =
  /\brm\s(?=[^;&|\n]{0,200}(?:-[a-z]*r|--recursive))[^;&|\n]{0,200}\s(?:--no-preserve-root|\/\*?|~\/?\*?|\$home\/?\*?|\/(?:etc|usr|var|home|boot|bin|lib)\/?\*?)(?=\s|$|[;&|])/;

export const dangers: readonly Danger[] = [
  by('shell.rm_root', RM_ROOT, true),
  by('shell.rm_recursive', RM),
  by('shell.find_delete', /\bfind\s[^;&|\n]{0,300}(?:-delete\b|-exec\s+rm\b)/),
  by('shell.format_disk', new RegExp(`${START}(?:mkfs(?:\\.\\w+)?|wipefs|mke2fs)\\s`), true),
  by('shell.write_disk', /\bdd\s[^;&|\n]{0,200}\bof=\/dev\/|>\s?\/dev\/(?:sd|nvme|hd|vd|xvd|disk)/, true),
  by('shell.shred', new RegExp(`${START}shred\\s`)),
  by('shell.fork_bomb', /:\s?\(\s?\)\s?\{\s?:\s?\|\s?:\s?&\s?\}\s?;\s?:/, true),
  by('shell.power', new RegExp(`${START}(?:shutdown|reboot|halt|poweroff|init [06])(?=\\s|$|[;&|])`)),
  by('shell.open_permissions', /\bchmod\s(?:[^;&|\n]{0,100}\s)?(?:0?[0-7]?777|(?:a|ugo)?\+rwx|a=rwx|u\+s)\b/),
  by('shell.take_ownership', /\bchown\s(?:[^;&|\n]{0,100}\s)?(?:-[a-z]*r[a-z]*|--recursive)\s/),
  by(
    'shell.download_and_run',
    new RegExp(`\\b(?:curl|wget|fetch|iwr|invoke-webrequest)\\b[^;\\n]{0,500}\\|\\s*(?:sudo\\s+)?(?:\\S{0,40}\\/)?(?:${SHELL})\\b`),
  ),
  by('shell.run_download', new RegExp(`\\b(?:${SHELL}|eval|source)\\b[^;\\n]{0,100}(?:<\\(|\\$\\(|\\x60)\\s*(?:curl|wget)\\b`)),
  by('shell.decode_and_run', new RegExp(`\\b(?:base64|xxd|openssl)\\b[^;\\n]{0,300}\\|\\s*(?:sudo\\s+)?(?:${SHELL})\\b`)),
  by('shell.reverse_shell', /\/dev\/(?:tcp|udp)\/|\bnc\b[^;\n]{0,100}\s-[a-z]*e\b/),
  by('shell.kill_all', /\bkill\s+-(?:9|kill)\s+-1\b/),
  by('shell.crontab_remove', /\bcrontab\s+-r\b/),
  by(
    'windows.delete_tree',
    /\bremove-item\b[^;\n]{0,200}-recurse|\b(?:del|erase)\s[^;\n]{0,100}\/s\b|\b(?:rd|rmdir)\s[^;\n]{0,100}\/s\b|\bformat(?:-volume\b| [a-z]:)/,
  ),
  by(
    'git.force_push',
    /\bgit\s[^;&|\n]{0,200}\bpush\b[^;&|\n]{0,200}(?:\s--(?:force|mirror|delete|prune)|\s-[a-z]*[fd][a-z]*(?=\s|$)|\s\+\S)/,
  ),
  by('git.reset_hard', /\bgit\s[^;&|\n]{0,200}\breset\b[^;&|\n]{0,200}\s--hard\b/),
  by('git.clean', /\bgit\s[^;&|\n]{0,200}\bclean\b[^;&|\n]{0,100}\s(?:-[a-z]*f|--force)/),
  by(
    'git.rewrite',
    /\bgit\s[^;&|\n]{0,200}\b(?:filter-branch|filter-repo|update-ref\s+-d|reflog\s+(?:expire|delete)|branch\s+(?:-d\s+-f|-[a-z]*d[a-z]*\s+--force|--delete\s+--force))/,
  ),
  by('sql.drop', /\bdrop\s+(?:table|database|schema|view|materialized|index|user|role|tablespace|column|keyspace|collection)\b/),
  by('sql.truncate', new RegExp(`\\btruncate\\s+table\\b|(?:^|[;\\n])\\s*truncate\\s+${TARGET}\\s*(?:$|[;,]|cascade|restart)`)),
  { id: 'sql.delete_all', found: withoutWhere(new RegExp(`\\bdelete\\s+from\\s+(?:only\\s+)?${TARGET}`)) },
  {
    id: 'sql.update_all',
    found: withoutWhere(new RegExp(`(?:^|[\\n(])\\s*update\\s+(?:only\\s+)?${TARGET}(?:\\s+(?:as\\s+)?\\w+)?\\s+set\\s`)),
  },
  by('sql.alter_drop', /\balter\s+table\b[^;]{0,300}\bdrop\b/),
  by('sql.grant_all', /\bgrant\s+all\b/),
  by('store.flush', /(?:^|[\s;])flush(?:all|db)\b|\bdropdatabase\s*\(|\bdb\.\w+\.drop\s*\(|\bdeletemany\s*\(\s*\{\s*\}\s*\)/),
  by('code.delete_tree', /\bshutil\s*\.\s*rmtree\s*\(|\bfs\s*\.\s*rm(?:sync)?\s*\([^)]{0,200}recursive|\brimraf\b/),
  by(
    'cloud.destroy',
    /\bterraform\s[^;\n]{0,100}\bdestroy\b|\bkubectl\s[^;\n]{0,100}\bdelete\s+(?:ns|namespace|pvc?|all|[^;\n]{0,100}--all)\b|\baws\s+s3\s+(?:rb|rm)\b[^;\n]{0,200}--(?:force|recursive)|\bdocker\s+(?:system|volume)\s+prune\b|\bhelm\s+(?:uninstall|delete)\s/,
  ),
];
