import type { ClaimedKey, ClaimedResources, ClaimedTouch, Outcome, ToolCall } from '@countersign/contracts';
import {
  answerTerms,
  type ConfigurationState,
  caseOf,
  catalogued,
  digest8,
  type ExecutionState,
  holdsKey,
  type KeyHolder,
  settledAnswer,
  stateAfter,
  type ToolVersion,
} from '@countersign/domain';

interface Row {
  call_id: string;
  digest: number;
  state: ExecutionState;
  ended_at_ms: number | null;
  /** Null: the record names no resources. */
  touched: readonly ClaimedTouch[] | null;
  /** A later effect ended the answer. */
  moved: boolean;
}

/** True if a later effect on `later` ends an answer whose effect touched `answer`. */
function ends(later: readonly ClaimedTouch[], answer: readonly ClaimedTouch[]): boolean {
  return later.some((one) =>
    answer.some((other) => one.resource === other.resource && (one.exact || other.exact) && (one.replaces || other.replaces)),
  );
}

/** The holders of idempotency keys, as in `tool_executions`. */
export class SimulatedKeys {
  private readonly rows = new Map<string, Row>();
  private readonly keysOf = new Map<string, string[]>();

  /** The call that holds the key: live, or settled within its window. */
  holder(tenant_id: string, call: ToolCall, config: ConfigurationState, now_ms: number): KeyHolder | undefined {
    const row = this.rows.get(call.idempotency_key);
    if (!row || !holdsKey(row.state) || row.state === 'reading') return undefined;
    if (row.state === 'succeeded' && !answers(row, call, (tool, version) => catalogued(config, tenant_id, tool, version))) return undefined;
    const isOpen = row.ended_at_ms === null || row.state === 'in_doubt' || row.ended_at_ms + call.window_ms > now_ms;
    if (!isOpen && (call.case_id === null || caseOf(config, tenant_id, call.case_id)?.state !== 'open')) return undefined;
    return { call_id: row.call_id, same_inputs: row.digest === digest8(call.discriminating_digest) };
  }

  /** `resources`: those in the record of its start. */
  claim(
    call_id: string,
    call: Pick<ToolCall, 'idempotency_key' | 'discriminating_digest'>,
    also: ClaimedKey | null,
    resources: ClaimedResources | null = null,
  ): void {
    const claimed = also ? [call, also] : [call];
    const begun = { call_id, state: 'running' as const, ended_at_ms: null, touched: resources?.touched ?? null, moved: false };
    for (const { idempotency_key, discriminating_digest } of claimed)
      this.rows.set(idempotency_key, { ...begun, digest: digest8(discriminating_digest) });
    this.keysOf.set(
      call_id,
      claimed.map(({ idempotency_key }) => idempotency_key),
    );
  }

  end(call_id: string, outcome: Pick<Outcome, 'status' | 'effect'>, at_ms: number): void {
    for (const key of this.keysOf.get(call_id) ?? []) {
      const row = this.rows.get(key);
      if (row?.call_id !== call_id) continue;
      const ended = { ...row, state: stateAfter(outcome), ended_at_ms: at_ms };
      this.rows.set(key, ended);
      if (ended.state !== 'released' && ended.touched) this.move(call_id, ended.touched);
    }
  }

  private move(call_id: string, touched: readonly ClaimedTouch[]): void {
    for (const [key, row] of this.rows)
      if (row.call_id !== call_id && row.touched && ends(touched, row.touched)) this.rows.set(key, { ...row, moved: true });
  }
}

function answers(
  { touched, moved }: Row,
  { key_source, tool, version }: ToolCall,
  known: (tool: string, version: string) => ToolVersion | undefined,
): boolean {
  const terms = answerTerms(key_source, known(tool, version)?.contract);
  return settledAnswer(touched === null ? null : !moved, terms) !== 'gone';
}
