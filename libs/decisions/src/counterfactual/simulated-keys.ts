import type { ClaimedKey, Outcome, ToolCall } from '@countersign/contracts';
import { type ConfigurationState, caseOf, digest8, type ExecutionState, holdsKey, type KeyHolder, stateAfter } from '@countersign/domain';

interface Row {
  call_id: string;
  digest: number;
  state: ExecutionState;
  ended_at_ms: number | null;
}

/** Who holds which idempotency key, as `tool_executions` would say. */
export class SimulatedKeys {
  private readonly rows = new Map<string, Row>();
  private readonly keysOf = new Map<string, string[]>();

  /** The call that holds the key of this one, live or settled inside its window. */
  holder(tenant_id: string, call: ToolCall, config: ConfigurationState, now_ms: number): KeyHolder | undefined {
    const row = this.rows.get(call.idempotency_key);
    if (!row || !holdsKey(row.state) || row.state === 'reading') return undefined;
    const isOpen = row.ended_at_ms === null || row.state === 'in_doubt' || row.ended_at_ms + call.window_ms > now_ms;
    if (!isOpen && (call.case_id === null || caseOf(config, tenant_id, call.case_id)?.state !== 'open')) return undefined;
    return { call_id: row.call_id, same_inputs: row.digest === digest8(call.discriminating_digest) };
  }

  claim(call_id: string, call: Pick<ToolCall, 'idempotency_key' | 'discriminating_digest'>, also: ClaimedKey | null): void {
    const claimed = also ? [call, also] : [call];
    for (const { idempotency_key, discriminating_digest } of claimed)
      this.rows.set(idempotency_key, { call_id, digest: digest8(discriminating_digest), state: 'running', ended_at_ms: null });
    this.keysOf.set(
      call_id,
      claimed.map(({ idempotency_key }) => idempotency_key),
    );
  }

  end(call_id: string, outcome: Pick<Outcome, 'status' | 'effect'>, at_ms: number): void {
    for (const key of this.keysOf.get(call_id) ?? []) {
      const row = this.rows.get(key);
      if (row?.call_id === call_id) this.rows.set(key, { ...row, state: stateAfter(outcome), ended_at_ms: at_ms });
    }
  }
}
