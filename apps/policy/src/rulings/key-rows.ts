import { callId, type ToolCall } from '@countersign/contracts';
import { type ConfigurationState, caseOf, type KeyHolder } from '@countersign/domain';
import { digest8, type ExecutionRow, executionState, rowsOfKeys, type Sql } from '@countersign/store';
import type { KeyHolders } from './ruling-desk.js';

interface Asked {
  tenant_id: string;
  call: ToolCall;
}

/** Keys as `tool_executions` has them. Released attempts hold nothing; a settled one holds for its window, or while its case is open. */
export class KeyRows implements KeyHolders {
  constructor(
    private readonly sql: Sql,
    private readonly configuration: () => ConfigurationState,
    private readonly now_ms: () => number,
  ) {}

  async holdersOf(calls: readonly Asked[]): Promise<ReadonlyMap<string, KeyHolder>> {
    const byKey = new Map(calls.map((asked) => [asked.call.idempotency_key, asked]));
    const rows = await rowsOfKeys(this.sql, [...byKey.keys()]);
    const holders = new Map<string, KeyHolder>();
    for (const row of rows) {
      const asked = byKey.get(row.key) as Asked;
      if (!this.holds(row, asked)) continue;
      const same_inputs = row.digest8 === digest8(asked.call.discriminating_digest);
      holders.set(row.key, { call_id: callId(row.partition, row.call_uuid), same_inputs });
    }
    return holders;
  }

  private holds(row: ExecutionRow, { tenant_id, call }: Asked): boolean {
    if (row.state === executionState.released || row.state === executionState.reading) return false;
    if (row.ended_at_s === null || row.state === executionState.in_doubt) return true;
    if (row.ended_at_s * 1000 + call.window_ms > this.now_ms()) return true;
    return call.case_id !== null && caseOf(this.configuration(), tenant_id, call.case_id)?.state === 'open';
  }
}
