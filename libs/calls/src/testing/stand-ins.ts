import {
  callError,
  contractDigest,
  type EventCodec,
  type EventMap,
  type EventType,
  metaAfter,
  type Outcome,
  type ToolCall,
  type ToolContract,
  topicOf,
  uuidv7,
} from '@countersign/contracts';
import { ungatedRegistration } from '@countersign/domain/testing/ungated-registration';
import type { EventLog, LogBatch, Recorded, RunningSubscription } from '@countersign/event-log';
import { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import { sampleOutcome } from './samples.js';

const ALONE = { joined_call_id: null, similar: null, history_json: null, also: null, asked: null, parts: [] as never[] } as const;

type Ruling = Partial<EventMap['policy_decided']>;
const POLICY = ['tool-call-requested', 'approval-voted'];

/** The scripted ruling on a call, and its outcome if it is allowed. Undefined: no ruling. */
export interface Script {
  rule(call: ToolCall): Ruling | undefined;
  run(call: ToolCall): Partial<Outcome>;
}

/** Simulates policy and executor on the log: real records, scripted decisions. */
export class StandIn {
  private running: RunningSubscription | undefined;
  private readonly calls = new Map<string, EventMap['tool_call_requested']>();
  private readonly ended = new Set<string>();

  constructor(
    private readonly log: EventLog,
    private readonly codec: EventCodec,
    private readonly script: Script,
  ) {}

  async start(): Promise<void> {
    const decoder = new BatchDecoder(this.codec, undefined);
    const onBatch = async (batch: LogBatch) => {
      for (const event of (await decoder.decode(batch.records)).events) await this.take(event);
    };
    this.running = await this.log.follow({ topics: POLICY, visibility: 'appended', batch_records_max: 100, from: 'start', onBatch });
  }

  close(): Promise<void> | undefined {
    return this.running?.close();
  }

  async register(contract: ToolContract, more: Partial<EventMap['tool_registered']> = {}): Promise<void> {
    const meta = { ...metaOf(Date.now()), tenant_id: 'default' };
    const contract_json = JSON.stringify(contract);
    const { name, version } = contract;
    const event = {
      meta,
      name,
      version,
      digest: contractDigest(contract),
      contract_json,
      lanes: ['shared'],
      executor_id: 'e',
      registered_at_ms: 1,
      ...ungatedRegistration,
      ...more,
    };
    await this.append('tool_registered', 0, event);
  }

  private async take(at: Recorded): Promise<void> {
    if (at.event_type === 'tool_call_requested') await this.rule(at.event, at.offset);
    if (at.event_type === 'tool_call_cancel_requested') await this.cancel(at.event, at.offset);
    if (at.event_type === 'approval_voted') await this.vote(at.event, at.offset);
  }

  private async rule(requested: EventMap['tool_call_requested'], offset: number): Promise<void> {
    const id = requested.meta.call_id as string;
    if (this.calls.has(id)) return;
    this.calls.set(id, requested);
    const ruling = this.script.rule(requested.call);
    if (!ruling) return;
    const source = { topic: 'tool-call-requested', offset };
    const meta = metaAfter(requested.meta, Date.now());
    const asks = ruling.effect === 'require_approval';
    const decided = {
      decision_id: `dec-${id}`,
      revision: 1,
      effect: 'allow' as const,
      tier: 'tier_1_auto' as const,
      approval_mode_effective: 'local_write' as const,
      rule: 'scripted',
      bundle_version: 'test',
      config_offset: 0,
      reason: null,
      joined_call_id: null,
      approval_id: asks ? `app-${id}` : null,
      execute_before_ms: Date.now() + 60_000,
      reservations: [],
      defer: null,
      explanation: null,
      ...ruling,
    };
    await this.append('policy_decided', meta.partition, { meta, source, call: requested.call, ...decided });
    if (asks) await this.ask(requested, decided.decision_id);
    else if (decided.effect === 'allow') await this.execute(requested);
  }

  private async ask(requested: EventMap['tool_call_requested'], decision_id: string): Promise<void> {
    const meta = metaAfter(requested.meta, Date.now());
    const terms = { approver_roles: ['approver'], quorum: 1, requested_at_ms: Date.now(), expires_at_ms: Date.now() + 60_000 };
    const bound = { reversibility: 'irreversible' as const, ruling_digest: 'r'.repeat(64), call: requested.call, level: 0 };
    await this.append('approval_requested', meta.partition, {
      meta,
      approval_id: `app-${meta.call_id}`,
      decision_id,
      revision: 1,
      ...terms,
      ...bound,
      requirement: null,
      barred: [],
      evidence: null,
      edit: null,
      parts: [],
      distinct: false,
      grantable: null,
    });
  }

  private async execute({ meta, call }: EventMap['tool_call_requested']): Promise<void> {
    const outcome = sampleOutcome(this.script.run(call));
    const { idempotency_key, tool, version } = call;
    const base = {
      meta: metaAfter(meta, Date.now(), 1),
      idempotency_key,
      tool,
      version,
      outcome,
      source: { topic: 'policy-decided', offset: 0 },
      also: null,
    };
    if (outcome.status === 'in_doubt') await this.append('tool_call_in_doubt', meta.partition, { ...base, epoch: 1 });
    else await this.append('tool_executed', meta.partition, { ...base, epoch: 1, decision_id: `dec-${meta.call_id}`, revision: 1 });
    this.ended.add(meta.call_id as string);
  }

  private async cancel(command: EventMap['tool_call_cancel_requested'], offset: number): Promise<void> {
    const id = command.meta.call_id as string;
    if (this.ended.has(id)) return;
    this.ended.add(id);
    const meta = metaAfter(command.meta, Date.now());
    const end = {
      revision: 1,
      reason: command.reason,
      by: command.principal,
      final: true,
      source: { topic: 'tool-call-requested', offset },
    };
    await this.append('call_cancelled', meta.partition, { meta, ...end, call: this.calls.get(id)?.call ?? null, only_before_fire: false });
  }

  private async vote(vote: EventMap['approval_voted'], offset: number): Promise<void> {
    const id = vote.meta.call_id as string;
    const requested = this.calls.get(id);
    const { approval_id, vote_id, voter } = vote;
    const source = { topic: 'approval-voted', offset };
    const meta = metaAfter(vote.meta, Date.now());
    if (!voter.roles.some((role) => role === 'approver' || role === 'admin')) {
      const refused = { reason: 'voting needs one of the roles approver, admin', code: 'not_entitled', source };
      await this.append('approval_vote_refused', meta.partition, { meta, approval_id, vote_id, ...refused });
    } else if (!requested || this.ended.has(id) || requested.call.principal.id === voter.id) {
      const closed = this.ended.has(id);
      const reason = closed ? 'the request is not open' : 'four eyes: the requester of the call cannot approve it';
      const code = closed ? 'not_open' : 'four_eyes';
      await this.append('approval_vote_refused', meta.partition, { meta, approval_id, vote_id, reason, source, code });
    } else if (vote.vote === 'deny') {
      this.ended.add(id);
      const denied = { approval_id, revision: 1, reason: vote.reason, by: voter, source, call: requested.call };
      await this.append('approval_denied', meta.partition, { meta, ...denied });
    } else await this.grant(requested, vote, source);
  }

  private async grant(
    requested: EventMap['tool_call_requested'],
    { approval_id, vote_id, vote, voter, voted_at_ms, meta }: EventMap['approval_voted'],
    source: { topic: string; offset: number },
  ): Promise<void> {
    await this.append('approval_granted', meta.partition, {
      meta: metaAfter(meta, Date.now()),
      approval_id,
      decision_id: `dec-${meta.call_id}`,
      revision: 1,
      ruling_digest: 'r'.repeat(64),
      votes: [
        { vote_id, voter_id: voter.id, vote, voted_at_ms, on_behalf_of: null, to: null, grant: null, in_parts: [], voter_issuer: null },
      ],
      execute_before_ms: Date.now() + 60_000,
      tier: 'tier_2_approval_required',
      source,
      call: requested.call,
      ...ALONE,
    });
    await this.execute(requested);
  }

  private async append<T extends EventType>(type: T, partition: number, event: EventMap[T]): Promise<void> {
    await this.log.append([
      { topic: topicOf(type), partition, key: null, value: this.codec.encode(type, event), headers: { event_type: type } },
    ]);
  }
}

function metaOf(now_ms: number): EventMap['tool_registered']['meta'] {
  const event_id = uuidv7(now_ms);
  return {
    event_id,
    tenant_id: 'default',
    call_id: null,
    attempt: 0,
    causation_id: null,
    correlation_id: event_id.replaceAll('-', ''),
    hlc: now_ms * 1000,
    partition: 0,
  };
}

/** A script keyed by tool name, as most specs need. */
export const usualScript: Script = {
  rule: (call) => {
    if (call.tool === 'ask_first') return { effect: 'require_approval', tier: 'tier_2_approval_required' };
    if (call.tool === 'never') return { effect: 'deny', tier: 'tier_3_blocked', reason: callError('POLICY_DENIED', 'blocked by rule') };
    if (call.tool === 'unruled') return undefined;
    return {};
  },
  run: (call) => {
    if (call.tool === 'doubtful')
      return { status: 'in_doubt', output_json: null, error: callError('IN_DOUBT', 'the answer was lost'), effect: 'unknown' };
    if (call.tool === 'fails') return { status: 'failed', output_json: null, error: callError('PROVIDER_ERROR', 'no'), effect: 'none' };
    return { output_json: call.inputs_json };
  },
};
