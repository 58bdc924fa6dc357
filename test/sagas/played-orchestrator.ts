import {
  type EventCodec,
  type EventMap,
  firstMeta,
  type SourcePosition,
  sagaKey,
  sagaPartition,
  type TopicEvents,
} from '@countersign/contracts';
import { decideSaga, evolveSaga, type SagaCommand, type SagaDefinition, type SagaFact, type SagaState } from '@countersign/domain';
import type { EmbeddedEventLog, LogBatch, Recorded, RunningSubscription } from '@countersign/event-log';
import { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';

type Without<T> = T extends unknown ? Omit<T, 'now_ms'> : never;
/** A command without its time. */
export type Command = Without<SagaCommand>;
type Request = Extract<Recorded, { event_type: TopicEvents['saga-requested']['event_type'] }>;

/** Decides on requests of sagas with the real decider, in the shared lane. It makes no calls: tests report what calls did. */
export class PlayedOrchestrator {
  private running: RunningSubscription | undefined;
  private readonly sagas = new Map<string, { state: SagaState; tenant_id: string }>();
  private readonly definitions = new Map<string, string>();
  /** While it is false, requests stay on the record without an answer. */
  is_running = true;
  private held: Request[] = [];

  constructor(
    private readonly log: EmbeddedEventLog,
    private readonly codec: EventCodec,
  ) {}

  async start(): Promise<void> {
    const decoder = new BatchDecoder(this.codec, undefined);
    const onBatch = async (batch: LogBatch) => {
      for (const at of (await decoder.decode(batch.records)).events) await this.take(at);
    };
    const topics = ['configuration-changed', 'saga-requested'];
    this.running = await this.log.follow({ topics, visibility: 'durable', batch_records_max: 100, from: 'start', onBatch });
  }

  close(): Promise<void> | undefined {
    return this.running?.close();
  }

  /** Answers the requests that arrived meanwhile. */
  async resume(): Promise<void> {
    this.is_running = true;
    for (const at of this.held.splice(0)) await this.decided(at);
  }

  state(saga_id: string): SagaState {
    return this.sagas.get(saga_id)?.state;
  }

  /** Applies what the saga learns about its calls, and records the decision. */
  async tell(saga_id: string, command: Command): Promise<SagaFact[]> {
    const saga = this.sagas.get(saga_id);
    if (!saga) throw new Error(`no saga ${saga_id}`);
    const decision = decideSaga({ ...command, now_ms: Date.now() } as SagaCommand, saga.state);
    if (decision.kind === 'refused') throw new Error(decision.message);
    await this.record(saga.tenant_id, saga_id, decision.facts);
    return decision.facts;
  }

  /** Requests a step. */
  asks(saga_id: string, step_id: string, more: object = {}): Promise<SagaFact[]> {
    const what = {
      level: 0,
      tool: step_id,
      version: '1.0.0',
      key: `${saga_id} ${step_id}`,
      inputs_json: '{}',
      latency_ms: 10,
      repairs: [],
    };
    const traits = { is_write: true, is_irreversible: false, resources: ['r'], compensation_tool: 'undo' };
    return this.tell(saga_id, { kind: 'step_prepared', step_id, call_id: this.callId(saga_id, step_id), ...what, ...traits, ...more });
  }

  /** Ends the newest call of a step. */
  ends(saga_id: string, step_id: string, status: 'succeeded' | 'failed' = 'succeeded'): Promise<SagaFact[]> {
    const call_id = this.state(saga_id)?.steps.get(step_id)?.runs.at(-1)?.call_id as string;
    const effect = status === 'succeeded' ? 'happened' : 'none';
    return this.tell(saga_id, {
      kind: 'step_ended',
      call_id,
      status,
      effect,
      error: null,
      effect_key: call_id,
      effect_attempt: 1,
      is_repaired: false,
    });
  }

  /** Requests the undo of a step and fails it. */
  async failsToUndo(saga_id: string, step_id: string): Promise<void> {
    const of_call_id = this.state(saga_id)?.steps.get(step_id)?.runs.at(-1)?.call_id as string;
    const call_id = this.callId(saga_id, `undo-${step_id}`);
    const what = { call_id, key: call_id, tool: 'undo', version: '1.0.0', inputs_json: '{}', deadline_at_ms: 9, reason: 'failed' };
    await this.tell(saga_id, { kind: 'undo_prepared', of_call_id, ...what });
    await this.tell(saga_id, { kind: 'undo_ended', of_call_id, call_id, result: 'failed', error: null, duration_ms: 1, retry_count: 0 });
  }

  private callId(saga_id: string, step_id: string): string {
    const runs = this.state(saga_id)?.seq ?? 0;
    const digits = Buffer.from(`${saga_id}${step_id}${runs}`).toString('hex').slice(-12).padStart(12, '0');
    return `0-0192f0c4-0000-7000-8000-${digits}`;
  }

  private async take(at: Recorded): Promise<void> {
    if (at.event_type === 'saga_definition_set') {
      const { meta, name, version, definition_json } = at.event;
      this.definitions.set(`${meta.tenant_id} ${name} ${version}`, definition_json);
    } else if (at.topic === 'saga-requested' && !this.is_running) this.held.push(at as Request);
    else if (at.topic === 'saga-requested') await this.decided(at as Request);
  }

  private async decided(at: Request): Promise<void> {
    const { tenant_id, event_id } = at.event.meta;
    const { saga_id } = at.event;
    const own = this.sagas.get(saga_id);
    const state = own?.tenant_id === tenant_id ? own.state : undefined;
    const decision = decideSaga({ ...this.command(at), now_ms: Date.now() } as SagaCommand, state);
    if (decision.kind === 'recorded' && decision.facts.length > 0) return this.record(tenant_id, saga_id, decision.facts);
    const message = decision.kind === 'refused' ? decision.message : 'the request repeats an earlier one or came too late';
    const refusal = { saga_id, case_id: null, command_id: event_id, message, source: sourceOf(at), refused_at_ms: Date.now() };
    await this.append(tenant_id, saga_id, [{ event_type: 'saga_request_refused', body: refusal }]);
  }

  private command(at: Request): Command {
    const source = sourceOf(at);
    if (at.event_type === 'saga_requested') return this.started(at.event, source);
    const { meta, step_id, reason, by } = at.event;
    const command_id = meta.event_id;
    if (at.event_type === 'saga_control_requested') return { kind: 'control', command_id, act: at.event.act, step_id, reason, by, source };
    const { is_refused, answer_json } = at.event;
    return { kind: 'wait_answered', step_id: step_id as string, is_refused, answer_json, reason, by, command_id, source };
  }

  private started(event: EventMap['saga_requested'], source: SourcePosition): Command {
    const { meta, saga_id, case_id, definition: name, definition_version, definition_digest, inputs_json, deadline_at_ms } = event;
    const { by, authority, request_digest } = event;
    const definition_json = event.definition_json ?? (this.definitions.get(`${meta.tenant_id} ${name} ${definition_version}`) as string);
    const definition = JSON.parse(definition_json) as SagaDefinition;
    const what = { definition, definition_digest, definition_json, inputs_json, latencies: {}, deadline_at_ms };
    return { kind: 'start', saga_id, case_id, ...what, by, authority, request_digest, source };
  }

  private async record(tenant_id: string, saga_id: string, facts: readonly SagaFact[]): Promise<void> {
    const state = facts.reduce(evolveSaga, this.sagas.get(saga_id)?.state);
    this.sagas.set(saga_id, { state, tenant_id });
    await this.append(tenant_id, saga_id, facts);
  }

  private async append(tenant_id: string, saga_id: string, facts: readonly { event_type: string; body: object }[]): Promise<void> {
    const partition = sagaPartition(tenant_id, saga_id, this.log.partitions('compensation'));
    const records = facts.map(({ event_type, body }) => {
      const event = { meta: { ...firstMeta(tenant_id, Date.now()), partition }, ...body };
      const value = this.codec.encode(event_type as never, event as never);
      return { topic: 'compensation', partition, key: sagaKey(tenant_id, saga_id), value, headers: { event_type } };
    });
    await this.log.append(records);
  }
}

const sourceOf = ({ topic, offset }: Request): SourcePosition => ({ topic, offset });
