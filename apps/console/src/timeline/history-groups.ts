import type { HistoryLine } from './call-times.js';
import { type HistoryGroup, lineWords } from './history-words.js';

/** The lines of one call, or one line about the case itself. */
export interface LineGroup {
  key: string;
  call_id: string | null;
  tool: string | null;
  first_at: string;
  lines: readonly HistoryLine[];
}

/** Lines by call, in the order in which each call first appears. A line that two pages have is shown once. */
export function groupLines(lines: readonly HistoryLine[], shown: ReadonlySet<HistoryGroup>): LineGroup[] {
  const groups = new Map<string, LineGroup & { lines: HistoryLine[] }>();
  const seen = new Set<string>();
  for (const line of lines) {
    const id = `${line.event_id} ${line.type}`;
    if (seen.has(id) || (shown.size > 0 && !shown.has(lineWords(line).group))) continue;
    seen.add(id);
    const call_id = line.call_id ?? null;
    const key = call_id ?? id;
    const group = groups.get(key) ?? { key, call_id, tool: null, first_at: line.at ?? '', lines: [] };
    group.tool ??= line.tool ?? null;
    group.lines.push(line);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Time between two lines; undefined if one of the times cannot be read. */
export function delayOf(first_at: string | undefined, at: string | undefined): number | undefined {
  const ms = Date.parse(at ?? '') - Date.parse(first_at ?? '');
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
