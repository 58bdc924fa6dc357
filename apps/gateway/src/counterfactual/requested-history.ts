import { type Change, changesOf, type TenantRulings } from '@countersign/decisions';
import { type ConfigurationState, catalogued, HOUR_MS, unpackCall } from '@countersign/domain';
import { type HistoryScope, historyWindows } from '@countersign/policy';
import { bundlesAhead } from '@countersign/process';
import type { CallRow } from '@countersign/store';
import type { Gently } from './gently.js';

/** How far back the windows of agents reach, ms. */
export const AGENT_WINDOW_MS = (Math.max(...Object.values(historyWindows)) + 1) * HOUR_MS;

/** The rules that the query uses. */
interface Rules {
  rulings: TenantRulings;
  state: ConfigurationState;
  tenant_id: string;
}

/** History scopes that the changed policies read. The record may lack them, because the policies of that time did not read them. */
export async function requestedHistory(
  { rulings, state, tenant_id }: Rules,
  changes: readonly Change[],
  rows: readonly CallRow[],
  gently: Gently,
): Promise<ReadonlySet<HistoryScope>> {
  const scopes = new Set<HistoryScope>();
  const tools = new Set<string>();
  for (const { bundle } of changesOf(changes, 'policy')) {
    if (!bundle) continue;
    await bundlesAhead.compile(bundle);
    for (const row of rows) {
      const { call } = unpackCall(row.state);
      const name = `${call?.tool}@${call?.version}`;
      const tool = call && !tools.has(name) ? catalogued(state, tenant_id, call.tool, call.version) : undefined;
      tools.add(name);
      const uses = tool && rulings.historyRequested(state, tenant_id, tool.contract, bundle);
      for (const scope of uses?.scopes ?? []) scopes.add(scope);
      await gently.pause();
    }
  }
  return scopes;
}
