import { callId, type ToolCall } from '@countersign/contracts';
import { answerTerms, type ConfigurationState, caseOf, catalogued, type KeyHolder, settledAnswer } from '@countersign/domain';
import { digest8, executionState, rowsOfKeys, type Sql, type StandingExecution } from '@countersign/store';
import type { KeyHolders } from './decision-service.js';

interface KeyQuery {
  tenant_id: string;
  call: ToolCall;
  /** A settled call was meant to answer this one and could not. */
  answer_gone?: boolean;
}

const HOLDS_NOTHING: ReadonlySet<number> = new Set([executionState.released, executionState.compensated, executionState.reading]);

/**
 * Key holders from `tool_executions`. Released and compensated attempts hold nothing. A settled attempt holds its key for its window, or
 * while its case is open, and only while its effect is in place: a later call is a new effect with its own decision.
 */
export class KeyRows implements KeyHolders {
  constructor(
    private readonly sql: Sql,
    private readonly configuration: () => ConfigurationState,
    private readonly now_ms: () => number,
  ) {}

  async holdersOf(calls: readonly KeyQuery[]): Promise<ReadonlyMap<string, KeyHolder>> {
    const byKey = new Map(calls.map((query) => [query.call.idempotency_key, query]));
    const rows = await rowsOfKeys(this.sql, [...byKey.keys()]);
    const holders = new Map<string, KeyHolder>();
    for (const row of rows) {
      const query = byKey.get(row.key) as KeyQuery;
      if (!this.holds(row, query)) continue;
      const same_inputs = row.digest8 === digest8(query.call.discriminating_digest);
      holders.set(row.key, { call_id: callId(row.partition, row.call_uuid), same_inputs });
    }
    return holders;
  }

  private holds(row: StandingExecution, { tenant_id, call, answer_gone }: KeyQuery): boolean {
    if (HOLDS_NOTHING.has(row.state)) return false;
    if (row.ended_at_s === null || row.state === executionState.in_doubt) return true;
    if (row.state === executionState.succeeded && (answer_gone || !this.answers(row, tenant_id, call))) return false;
    if (row.ended_at_s * 1000 + call.window_ms > this.now_ms()) return true;
    return call.case_id !== null && caseOf(this.configuration(), tenant_id, call.case_id)?.state === 'open';
  }

  /** True if the settled call can answer. If only the tool knows whether the effect is in place, the executor asks it first. */
  private answers({ stands }: StandingExecution, tenant_id: string, { key_source, tool, version }: ToolCall): boolean {
    const contract = catalogued(this.configuration(), tenant_id, tool, version)?.contract;
    return settledAnswer(stands, answerTerms(key_source, contract)) !== 'gone';
  }
}
