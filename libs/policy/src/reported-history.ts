import { canonicalText } from '@countersign/contracts';
import type { HistoryUses } from './cel/history-uses.js';

export type Counts = Record<string, number>;
export type Counted = Counts & { tools: Record<string, Counts> };
/** Counts of a case or a run, with the number of calls by pattern of injection in their answers. */
export type ScopeCounted = Counted & { flags: Counts };

/** Windows of an agent's answers: the number of whole hours before the current one. */
export const historyWindows = { last_1h: 1, last_24h: 24, last_30d: 720 } as const;

/** Number of calls of a tool with this status. */
export interface StatusCount {
  tool: string;
  status: string;
  calls: number;
  /** Patterns of injection in their answers, joined by commas; null: none. */
  flags: string | null;
}

const PENDING: ReadonlySet<string> = new Set(['pending_policy', 'pending_approval', 'running']);
const COUNTED: readonly string[] = ['succeeded', 'failed', 'denied', 'in_doubt'];
const inScope = (): Counts => ({ calls: 0, pending: 0, succeeded: 0, failed: 0, denied: 0, in_doubt: 0, flagged: 0 });
const inWindow = (): Counts => ({ calls: 0, succeeded: 0, failed: 0, denied: 0, in_doubt: 0, flagged: 0 });

/** True if a tool has its own counts: rules name it, or iterate over all tools. */
const names = ({ tools }: HistoryUses, tool: string): boolean => tools.has(tool) || tools.has('*');

function empty(uses: HistoryUses, counts: () => Counts): Counted {
  const named = [...uses.tools].filter((tool) => tool !== '*');
  return Object.assign(counts(), { tools: Object.fromEntries(named.map((tool) => [tool, counts()])) }) as Counted;
}

/** The counts that a call of a tool is added to: the total, and the tool's own counts if it has them. */
function into(report: Counted, uses: HistoryUses, tool: string, counts: () => Counts): Counts[] {
  if (!names(uses, tool)) return [report];
  const own = Object.hasOwn(report.tools, tool) ? (report.tools[tool] as Counts) : counts();
  report.tools[tool] = own;
  return [report, own];
}

const add = (counts: Counts, name: string, more: number): void => {
  counts[name] = (counts[name] ?? 0) + more;
};

/** Counts of the other calls of a case or a run. Expired, cancelled and compensated calls count only in `calls` and `flagged`. */
export function scopeHistory(uses: HistoryUses, rows: readonly StatusCount[]): ScopeCounted {
  const report: ScopeCounted = Object.assign(empty(uses, inScope), { flags: {} });
  for (const { tool, status, calls, flags } of rows) {
    for (const flag of flags?.split(',') ?? []) add(report.flags, flag, calls);
    for (const counts of into(report, uses, tool, inScope)) {
      add(counts, 'calls', calls);
      if (flags) add(counts, 'flagged', calls);
      if (PENDING.has(status)) add(counts, 'pending', calls);
      else if (COUNTED.includes(status)) add(counts, status, calls);
    }
  }
  return report;
}

/** Counts of an agent's answers by window, from columns `<window>_<count>`. */
export function agentHistory(uses: HistoryUses, rows: readonly Record<string, unknown>[]): Record<string, Counted> {
  const report: Record<string, Counted> = {};
  for (const window of Object.keys(historyWindows)) {
    const counted = empty(uses, inWindow);
    for (const row of rows) {
      if (row[`${window}_calls`] === 0 && row[`${window}_in_doubt`] === 0) continue;
      for (const counts of into(counted, uses, row.tool as string, inWindow))
        for (const name of Object.keys(inWindow())) add(counts, name, row[`${window}_${name}`] as number);
    }
    report[window] = counted;
  }
  return report;
}

/** The number of flagged answers for `history.flagged`: of a run or a case, or of an agent's last day. */
export const flaggedCalls = (rows: readonly StatusCount[]): number => rows.reduce((sum, { flags, calls }) => sum + (flags ? calls : 0), 0);
export const flaggedOfDay = (rows: readonly Record<string, unknown>[]): number =>
  rows.reduce((sum, row) => sum + Number(row.last_24h_flagged ?? 0), 0);

/** Where `history.flagged` looks: the run of the call, without one its case, without both its principal. */
export function flaggedScope({ run_id, case_id }: { run_id: string | null; case_id: string | null }): 'run' | 'case' | 'agent' {
  if (run_id !== null) return 'run';
  return case_id === null ? 'agent' : 'case';
}

/** The recorded form; equal history gives equal text. */
export const historyText = (report: Readonly<Record<string, unknown>>): string => canonicalText(report);
