import { allHistoryUses, type HistoryUses } from '../cel/history-uses.js';
import type { CompiledBundle } from './compile-bundle.js';
import type { Selectable } from './selector.js';

const known = new WeakMap<CompiledBundle, WeakMap<Selectable, HistoryUses | 'nothing'>>();

/** What the rules of a bundle about a tool ask of the history of a call; undefined: nothing. Worked out once for a tool's contract. */
export function historyRequested(bundle: CompiledBundle, tool: Selectable): HistoryUses | undefined {
  const byTool = known.get(bundle) ?? new WeakMap<Selectable, HistoryUses | 'nothing'>();
  known.set(bundle, byTool);
  let asked = byTool.get(tool);
  if (asked === undefined) {
    const rules = bundle.rules.about(tool);
    asked = allHistoryUses(rules.flatMap((rule) => [rule.condition?.uses.history, rule.until_condition?.uses.history])) ?? 'nothing';
    byTool.set(tool, asked);
  }
  return asked === 'nothing' ? undefined : asked;
}
