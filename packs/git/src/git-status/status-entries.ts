import { isReserved } from '../names.js';

/** A path that differs from the last commit; the letters are git's (M, A, D, R, C, U, ? untracked, . unchanged). */
export interface StatusEntry {
  path: string;
  staged: string;
  unstaged: string;
  /** Where it was renamed or copied from. */
  from?: string;
}

/** Reads `git status --porcelain=v2 -z`; what is reserved is left out. */
export function statusEntries(text: string): { entries: StatusEntry[]; branch: Record<string, string> } {
  const entries: StatusEntry[] = [];
  const branch: Record<string, string> = {};
  const records = text.split('\0');
  for (let at = 0; at < records.length; at++) {
    const record = records[at] as string;
    const [kind, xy = '..'] = record.split(' ', 2);
    if (kind === '#') {
      const [, name, ...value] = record.split(' ');
      branch[(name ?? '').replace('branch.', '')] = value.join(' ');
      continue;
    }
    const fields = { '1': 8, '2': 9, u: 10, '?': 1 }[kind ?? ''];
    if (fields === undefined) continue;
    const path = record.split(' ').slice(fields).join(' ');
    const from = kind === '2' ? records[++at] : undefined;
    if (path.split('/').some(isReserved)) continue;
    const [staged, unstaged] = kind === '?' ? ['?', '?'] : [xy[0] ?? '.', xy[1] ?? '.'];
    entries.push({ path: path.replace(/\/$/, ''), staged, unstaged, ...(from === undefined ? {} : { from }) });
  }
  return { entries, branch };
}
