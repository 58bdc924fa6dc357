import { type Calls, newestRecords } from '@countersign/calls';
import { settledAs } from '@countersign/calls/waiting/is-answer';
import { type EventType, InfrastructureFault, laneTopic, parseTopic } from '@countersign/contracts';
import { type CallState, producerOfToken, statusOf } from '@countersign/domain';
import type { EventBatch, EventLog, Recorded } from '@countersign/event-log';
import type { LogPosition } from '@countersign/store';
import { callerOfKey } from '../authentication/authenticator.js';
import type { AnswerTopic, ProducerAnswer } from './answer-topic.js';
import type { ProducerStanding } from './producer-standing.js';

/** How long to wait for the views to have what was read; then the batch is read again. */
const VIEW_WAIT_MS = 5_000;

/** Calls that are read at the same time. */
const TOGETHER = 32;

/** The records that end a call, put it in doubt, resolve it or ask people. */
const ANSWERING: ReadonlySet<EventType> = new Set([
  'approval_requested',
  'approval_denied',
  'approval_expired',
  'call_cancelled',
  'tool_executed',
  'tool_retry_deduplicated',
  'tool_call_rejudged',
  'tool_call_in_doubt',
  'tool_call_resolved',
] satisfies EventType[]);

/** What the answer of a call follows from beside the record that answers it. */
const FACTS = ['tool-call-requested', 'policy-decided', 'approval-granted'] as const;

type CallName = readonly [call_id: string, tenant_id: string];

/**
 * Answers the calls of producers from the record: one gateway reads each record that may answer a call, also if another one admitted the
 * call and no longer runs.
 */
export class AnswerReader {
  constructor(
    private readonly log: Pick<EventLog, 'head' | 'first'>,
    private readonly calls: Pick<Calls, 'recorded' | 'reading'>,
    private readonly standing: ProducerStanding,
    private readonly answers: Pick<AnswerTopic, 'write'>,
  ) {}

  /** Resolves once the answers that this batch causes are durable. @throws InfrastructureFault if the log, the store or the views are behind */
  async read(batch: EventBatch): Promise<void> {
    const answering = batch.events.filter((at) => this.mayAnswer(at));
    const last = answering.at(-1);
    if (!last) return;
    await this.shown([{ topic: last.topic, partition: last.partition, offset: last.offset }], last.partition);
    const calls = new Map(answering.map(({ event: { meta } }) => [meta.call_id as string, meta.tenant_id]));
    for (const some of chunksOf<CallName>([...calls], TOGETHER)) {
      const states = await this.states(some, last);
      const found = await Promise.all(states.map((state) => this.answer(state)));
      await this.answers.write(found.filter((answer) => answer !== undefined));
    }
  }

  /** Resolves once the views have these records. */
  private async shown(positions: readonly LogPosition[], partition: number): Promise<void> {
    if (!(await this.calls.recorded.views.current({ positions, wait_ms: VIEW_WAIT_MS }, partition)))
      throw new InfrastructureFault('the views have not caught up with the answers of producers');
  }

  private mayAnswer({ event_type, event, timestamp_ms }: Recorded): boolean {
    if (event.meta.call_id === null || !this.standing.mayAnswer(event.meta.tenant_id, timestamp_ms)) return false;
    return ANSWERING.has(event_type) || ('effect' in event && event_type === 'policy_decided' && event.effect === 'deny');
  }

  /**
   * The calls that the views show. The other facts of a call are on the log before its answer, but on other topics, which the views may fold
   * later.
   */
  private async states(calls: readonly CallName[], { topic, partition }: Recorded): Promise<CallState[]> {
    const states = await this.statesNow(calls);
    if (states.every(isWhole)) return states;
    const { lane } = parseTopic(topic);
    const topics = FACTS.map((name) => laneTopic(name, lane));
    await this.shown(await newestRecords(this.log, topics, partition), partition);
    // What is still missing was dropped with old records.
    return (await this.statesNow(calls)).filter((state) => state !== undefined);
  }

  private statesNow(calls: readonly CallName[]): Promise<(CallState | undefined)[]> {
    return Promise.all(calls.map(([call_id, tenant_id]) => this.calls.recorded.views.call(tenant_id, call_id)));
  }

  /** Undefined: it is no call of a producer, or has no answer yet. */
  private async answer(state: CallState): Promise<ProducerAnswer | undefined> {
    const producer_id = producerOfToken(state.call?.authority?.agent_token_ref ?? '');
    if (producer_id === undefined || settledAs(state) === undefined) return undefined;
    const owner = this.standing.answered(producer_id);
    if (owner?.tenant_id !== state.tenant_id) return undefined;
    const { envelope } = await this.calls.reading(state, callerOfKey(owner));
    return { producer_id, state, envelope };
  }
}

/** Whether the views have all facts of a call that a record answers: only an approved call may run on. */
const isWhole = (state: CallState | undefined): state is CallState =>
  state !== undefined && (settledAs(state) !== undefined || statusOf(state) === 'running');

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
