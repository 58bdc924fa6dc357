/** `tool_executions.state`. Released: failed without effect, denied, expired or cancelled; the next request opens attempt n+1. */
export const executionState = {
  running: 1,
  succeeded: 2,
  in_doubt: 3,
  compensated: 4,
  released: 5,
  failed_with_effect: 6,
  /** A long-running read-only call. */
  reading: 7,
} as const;

export type ExecutionState = (typeof executionState)[keyof typeof executionState];
export type OpenState = typeof executionState.running | typeof executionState.reading;
export type EndState = Exclude<ExecutionState, OpenState>;

/** `tool_executions.source_topic`: the topic of the decision or grant under which the call runs. */
const sourceTopic = { policy_decided: 0, approval_granted: 1 } as const;
export type SourceTopic = (typeof sourceTopic)[keyof typeof sourceTopic];

export interface ExecutionKey {
  /** The idempotency key, as UUID text. */
  key: string;
  /** From 1; attempt n can be claimed only after attempt n-1 was released. */
  attempt: number;
}

export interface ExecutionRow extends ExecutionKey {
  tenant_id: string;
  call_uuid: string;
  partition: number;
  lane: string;
  epoch: number;
  state: ExecutionState;
  digest8: number;
  source_topic: SourceTopic;
  source_offset: number;
  end_offset: number | null;
  ended_at_s: number | null;
  /** JSON of `ClaimedResources`; null: the attempt named no resource. */
  resources: string | null;
}

export const EXECUTION_COLUMNS =
  't.key, t.attempt, t.tenant_id, t.call_uuid, t.partition, t.lane, t.epoch, t.state, t.digest8, t.source_topic, t.source_offset, t.end_offset, t.ended_at_s, t.resources';

/** `digest8` of a hex digest: its first 52 bits, which a JavaScript number holds exactly. */
export function digest8(digest: string): number {
  return Number.parseInt(digest.slice(0, 13), 16);
}

/** `key attempt` as one string, for maps. */
export function executionId({ key, attempt }: ExecutionKey): string {
  return `${key} ${attempt}`;
}
