import type { EventCodec } from '@countersign/contracts';
import { type CallState, evolve, newestFact, type PlacedEvent, packCall, statusOf } from '@countersign/domain';
import type { EventLog, LogBatch, RunningSubscription } from '@countersign/event-log';
import { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import {
  type ApprovalWrite,
  type CallWrite,
  type Statement,
  type Store,
  stableTables,
  storeOffsets,
  upsertApprovals,
  upsertCalls,
} from '@countersign/store';

/** The tables that readers use: the newest build. */
const stable = stableTables(['calls', 'approvals']);
const OF_CALLS = ['tool-call-requested', 'policy-decided', 'approval-voted', 'approval-granted', 'tool-executed'];
/** These have no rows here, but readers wait until the views have passed their records. */
const OTHERS = ['configuration-changed', 'tool-registered', 'security-event', 'compensation'];
const TOPICS = [...OTHERS, ...OF_CALLS];

/** Simulates the projector: writes one row per call and approval. */
export class StandInViews {
  private running: RunningSubscription | undefined;
  private readonly states = new Map<string, CallState>();

  constructor(
    private readonly log: EventLog,
    private readonly codec: EventCodec,
    private readonly store: Store,
  ) {}

  async start(): Promise<void> {
    const decoder = new BatchDecoder(this.codec, undefined);
    const onBatch = async (batch: LogBatch) => {
      const { events } = await decoder.decode(batch.records);
      const ofCalls = events.filter(({ topic }) => OF_CALLS.includes(topic));
      const changed = new Set(ofCalls.map((event) => this.fold(event as PlacedEvent)));
      const last = batch.records.at(-1) as { offset: number };
      const position = { topic: batch.topic, partition: batch.partition, next_offset: last.offset + 1, hlc: 0 };
      await this.store.atomically([...this.rows([...changed]), storeOffsets([position])]);
    };
    this.running = await this.log.follow({ topics: TOPICS, visibility: 'durable', batch_records_max: 100, from: 'start', onBatch });
  }

  close(): Promise<void> | undefined {
    return this.running?.close();
  }

  /** @returns the id of its call */
  private fold(at: PlacedEvent): string {
    const id = at.event.meta.call_id as string;
    this.states.set(id, evolve(this.states.get(id), at));
    return id;
  }

  private rows(ids: readonly string[]): Statement[] {
    if (ids.length === 0) return [];
    const states = ids.map((id) => this.states.get(id) as CallState);
    const approvals = states.flatMap((state) => approvalRow(state) ?? []);
    const writes = [upsertCalls(states.map(callRow)), ...(approvals.length > 0 ? [upsertApprovals(approvals)] : [])];
    return writes.map((write) => stable.bind(write));
  }
}

function callRow(state: CallState): CallWrite {
  const { call_id, tenant_id, call, requested } = state;
  const status = statusOf(state);
  const row = { call_id, tenant_id, case_id: call?.case_id ?? null, run_id: call?.run_id ?? null, tool: call?.tool ?? '', status };
  const times = { requested_at_ms: requested?.at_ms ?? 0, hlc: newestFact(state).hlc };
  return { ...row, ...times, state: packCall(state), waits_approval: status === 'pending_approval' };
}

function approvalRow({ approval, approval_end, ruling, tenant_id, partition, call_id }: CallState): ApprovalWrite | undefined {
  if (!approval) return undefined;
  const { approval_id, revision, requested_at_ms, expires_at_ms, approver_roles, quorum } = approval;
  const requirement = {
    decision_id: ruling?.decision_id ?? '',
    approver_roles,
    quorum,
    reversibility: 'irreversible',
    ruling_digest: '',
    people: [],
    rule: null,
    requirement: null,
    barred: [],
    evidence: null,
    edit: null,
    inputs_json: null,
    parts: [],
    distinct: false,
    grantable: false,
  };
  const end = approval_end && { kind: approval_end.kind, at_ms: approval_end.at_ms, by: approval_end.by, reason: approval_end.reason };
  const request = { call_id, revision, requested_at_ms, expires_at_ms, requirement };
  return { approval_id, tenant_id, partition, request, end };
}
