import { allHistoryUses, type HistoryUses } from '../cel/history-uses.js';
import type { CompiledBundle } from './compile-bundle.js';
import type { Selectable } from './selector.js';

const known = new WeakMap<CompiledBundle, WeakMap<Selectable, HistoryUses | 'nothing'>>();

/** The parts of the call history that the rules about a tool use; undefined: none. Cached per contract. */
export function historyRequested(bundle: CompiledBundle, tool: Selectable): HistoryUses | undefined {
  const byTool = known.get(bundle) ?? new WeakMap<Selectable, HistoryUses | 'nothing'>();
  known.set(bundle, byTool);
  let requested = byTool.get(tool);
  if (requested === undefined) {
    const rules = bundle.rules.about(tool);
    requested = allHistoryUses(rules.flatMap((rule) => [rule.condition?.uses.history, rule.until_condition?.uses.history])) ?? 'nothing';
    byTool.set(tool, requested);
  }
  return requested === 'nothing' ? undefined : requested;
}
