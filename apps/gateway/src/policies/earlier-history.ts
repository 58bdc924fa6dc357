import { type CallState, resultFlags, statusOf, unpackCall } from '@countersign/domain';
import {
  type Counted,
  flaggedCalls,
  flaggedScope,
  type HistoryUses,
  historyText,
  type StatusCount,
  scopeHistory,
} from '@countersign/policy';
import { type Cursor, listCalls, parseCursor, type Sql } from '@countersign/store';

const PAGE = 500;
/** Larger cases and runs have no history. */
const CALLS_MAX = 10_000;

/** The data of a call that matters to other calls of its case or run. */
interface Earlier {
  call_id: string;
  tool: string;
  requested_at_ms: number;
  /** The status changes of the call with their log times; empty while it has no answer. */
  became: { at_ms: number; status: string; flags: string | null }[];
}

function earlierOf(state: CallState, requested_at_ms: number): Earlier {
  const { call_id, call, doubt, end, approval_end, ruling } = state;
  const became: Earlier['became'] = [];
  const flags = resultFlags(state).join() || null;
  if (doubt) became.push({ at_ms: doubt.at_ms, status: 'in_doubt', flags: resultFlags({ doubt, end: null }).join() || null });
  if (end) became.push({ at_ms: end.at_ms, status: statusOf(state), flags });
  else if (approval_end && approval_end.kind !== 'granted') became.push({ at_ms: approval_end.at_ms, status: statusOf(state), flags });
  else if (ruling?.effect === 'deny') became.push({ at_ms: ruling.decided_at_ms, status: 'denied', flags });
  return { call_id, tool: call?.tool ?? '', requested_at_ms, became };
}

/** A call as it was counted at a time. */
function countOf({ tool, became }: Earlier, at_ms: number): StatusCount {
  const { status = 'running', flags = null } = became.filter((one) => one.at_ms <= at_ms).at(-1) ?? {};
  return { tool, status, flags, calls: 1 };
}

/**
 * The history of recorded calls at the time of their decision: the recorded history, or otherwise the states of the calls of their case
 * and run at that time. Excludes the recent history of an agent: it cannot be reconstructed exactly.
 */
export class EarlierHistory {
  private readonly known = new Map<string, Promise<Earlier[] | undefined>>();

  constructor(
    private readonly sql: Sql,
    private readonly tenant_id: string,
  ) {}

  /** In the form that a decision records. */
  async of(state: CallState, uses: HistoryUses): Promise<string | undefined> {
    const { call, ruling } = state;
    if (!call || !ruling) return undefined;
    if (ruling.explanation?.history_json) return ruling.explanation.history_json;
    const counted: Record<string, Counted | number> = {};
    for (const scope of ['case', 'run'] as const) {
      const id = scope === 'case' ? call.case_id : call.run_id;
      const flagged = uses.scopes.has('flagged') && flaggedScope(call) === scope;
      if (id === null || !(uses.scopes.has(scope) || flagged)) continue;
      const calls = await this.calls(scope, id);
      if (!calls) continue;
      const counts = countedAt(calls, state.call_id, ruling.decided_at_ms);
      if (uses.scopes.has(scope)) counted[scope] = scopeHistory(uses, counts);
      if (flagged) counted.flagged = flaggedCalls(counts);
    }
    return historyText(counted);
  }

  private calls(scope: 'case' | 'run', id: string): Promise<Earlier[] | undefined> {
    const key = `${scope}/${id}`;
    const known = this.known.get(key) ?? this.load(scope === 'case' ? { case_id: id } : { run_id: id });
    this.known.set(key, known);
    return known;
  }

  private async load(of: { case_id: string } | { run_id: string }): Promise<Earlier[] | undefined> {
    const found: Earlier[] = [];
    for (let after: Cursor | undefined; ; ) {
      const page = await listCalls(this.sql, { tenant_id: this.tenant_id, ...of, limit: PAGE, ...(after ? { after } : {}) });
      for (const row of page.items) found.push(earlierOf(unpackCall(row.state), row.requested_at_ms));
      after = page.next_cursor === null ? undefined : parseCursor(page.next_cursor);
      if (!after) return found;
      if (found.length >= CALLS_MAX) return undefined;
    }
  }
}

function countedAt(calls: readonly Earlier[], own: string, at_ms: number): StatusCount[] {
  return calls.filter(({ call_id, requested_at_ms }) => call_id !== own && requested_at_ms <= at_ms).map((one) => countOf(one, at_ms));
}
