import {
  type CallState,
  type ConfigurationState,
  catalogued,
  evolve,
  HOUR_MS,
  resultFlags,
  statusOf,
  usageFacts,
} from '@countersign/domain';
import { agentHistory, flaggedCalls, flaggedOfDay, flaggedScope, historyText, historyWindows, scopeHistory } from '@countersign/policy';
import type { Question } from '../question.js';
import type { ReadEvent } from '../read-event.js';
import type { TenantRulings } from '../tenant-rulings.js';
import { TENANT } from './lived-settings.js';

const COUNTS = ['calls', 'succeeded', 'failed', 'denied', 'flagged'] as const;

/** For specs: the call history, counted in full for every question, as the views count it. */
export class LivedHistory {
  private readonly calls = new Map<string, CallState>();

  fold(record: ReadEvent): void {
    const { call_id } = record.event.meta;
    if (call_id !== null) this.calls.set(call_id, evolve(this.calls.get(call_id), record));
  }

  historyFor(rulings: TenantRulings, config: ConfigurationState, { call, call_id, at_ms }: Question): string | undefined {
    const tool = catalogued(config, TENANT, call.tool, call.version);
    const uses = tool && rulings.historyRequested(config, TENANT, tool.contract);
    if (!uses) return undefined;
    const others = [...this.calls.values()].filter((state) => state.call_id !== call_id && state.requested);
    const rowsOf = (states: readonly CallState[]) =>
      states.map((state) => ({
        tool: state.call?.tool ?? '',
        status: statusOf(state),
        calls: 1,
        flags: resultFlags(state).join() || null,
      }));
    const own = others.filter((state) => state.call?.principal.id === call.principal.id);
    const flagged = (): number => {
      const scope = flaggedScope(call);
      if (scope === 'agent') return flaggedOfDay(own.map((state) => answersOf(state, Math.floor(at_ms / HOUR_MS))));
      const id = scope === 'run' ? 'run_id' : 'case_id';
      return flaggedCalls(rowsOf(others.filter((state) => state.call?.[id] === call[id])));
    };
    const reported: Record<string, unknown> = {};
    if (uses.scopes.has('case') && call.case_id !== null)
      reported.case = scopeHistory(uses, rowsOf(others.filter((state) => state.call?.case_id === call.case_id)));
    if (uses.scopes.has('run') && call.run_id !== null)
      reported.run = scopeHistory(uses, rowsOf(others.filter((state) => state.call?.run_id === call.run_id)));
    if (uses.scopes.has('agent'))
      reported.agent = agentHistory(
        uses,
        own.map((state) => answersOf(state, Math.floor(at_ms / HOUR_MS))),
      );
    const used = own.some((state) => state.call?.tool === call.tool && usageFacts(state).some(({ sums }) => sums.calls > 0));
    if (uses.scopes.has('flagged')) reported.flagged = flagged();
    if (uses.scopes.has('circuit')) reported.circuit = 'closed';
    if (uses.scopes.has('first_use_of_tool')) reported.first_use_of_tool = !used;
    return historyText(reported);
  }
}

function answersOf(state: CallState, hour: number): Record<string, unknown> {
  const row: Record<string, unknown> = { tool: state.call?.tool };
  for (const [window, hours] of Object.entries(historyWindows)) {
    const facts = usageFacts(state).filter(
      ({ at_ms }) => Math.floor(at_ms / HOUR_MS) >= hour - hours && Math.floor(at_ms / HOUR_MS) <= hour,
    );
    const sum = (of: (sums: (typeof facts)[number]['sums']) => number): number => facts.reduce((all, { sums }) => all + of(sums), 0);
    for (const name of COUNTS) row[`${window}_${name}`] = sum((sums) => sums[name]);
    row[`${window}_in_doubt`] = sum((sums) => sums.in_doubt - sums.resolved);
  }
  return row;
}
