import { shownText } from '@countersign/tool-kit';
import { isReserved } from '../names.js';

/**
 * A path that differs from the last commit, with invalid UTF-8 as `\xNN`; the letters are git's (M, A, D, R, C, U, ? untracked, .
 * unchanged).
 */
export interface StatusEntry {
  path: string;
  /** The path as git stores it. */
  bytes: Buffer;
  staged: string;
  unstaged: string;
  /** The path from which it was renamed or copied. */
  from?: string;
}

/** Latin-1 preserves the bytes during parsing. */
const bytesOf = (latin1: string): Buffer => Buffer.from(latin1, 'latin1');

/** Parses `git status --porcelain=v2 -z`; reserved names are omitted. */
export function statusEntries(output: Buffer): { entries: StatusEntry[]; branch: Record<string, string> } {
  const entries: StatusEntry[] = [];
  const branch: Record<string, string> = {};
  const records = output.toString('latin1').split('\0');
  for (let at = 0; at < records.length; at++) {
    const record = records[at] as string;
    const [kind, xy = '..'] = record.split(' ', 2);
    if (kind === '#') {
      const [, name, ...value] = record.split(' ');
      branch[(name ?? '').replace('branch.', '')] = shownText(bytesOf(value.join(' ')));
      continue;
    }
    const fields = { '1': 8, '2': 9, u: 10, '?': 1 }[kind ?? ''];
    if (fields === undefined) continue;
    const bytes = bytesOf(record.split(' ').slice(fields).join(' ').replace(/\/$/, ''));
    const path = shownText(bytes);
    const from = kind === '2' ? shownText(bytesOf(records[++at] as string)) : undefined;
    if (path.split('/').some(isReserved)) continue;
    const [staged, unstaged] = kind === '?' ? ['?', '?'] : [xy[0] ?? '.', xy[1] ?? '.'];
    entries.push({ path, bytes, staged, unstaged, ...(from === undefined ? {} : { from }) });
  }
  return { entries, branch };
}
