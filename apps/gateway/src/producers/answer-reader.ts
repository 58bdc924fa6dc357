import type { Calls } from '@countersign/calls';
import { settledAs } from '@countersign/calls/waiting/is-answer';
import { type EventType, InfrastructureFault } from '@countersign/contracts';
import { producerOfToken } from '@countersign/domain';
import type { EventBatch, Recorded } from '@countersign/event-log';
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

/**
 * Answers the calls of producers from the record: one gateway reads each record that may answer a call, also if another one admitted the
 * call and no longer runs.
 */
export class AnswerReader {
  constructor(
    private readonly calls: Pick<Calls, 'recorded' | 'reading'>,
    private readonly standing: ProducerStanding,
    private readonly answers: Pick<AnswerTopic, 'write'>,
  ) {}

  /** Resolves once the answers that this batch causes are durable. @throws InfrastructureFault if the log, the store or the views are behind */
  async read(batch: EventBatch): Promise<void> {
    const answering = batch.events.filter((at) => this.mayAnswer(at));
    const last = answering.at(-1);
    if (!last) return;
    const seen = { positions: [{ topic: last.topic, partition: last.partition, offset: last.offset }], wait_ms: VIEW_WAIT_MS };
    if (!(await this.calls.recorded.views.current(seen, last.partition)))
      throw new InfrastructureFault('the views have not caught up with the answers of producers');
    const calls = new Map(answering.map(({ event: { meta } }) => [meta.call_id as string, meta.tenant_id]));
    for (const some of chunksOf([...calls], TOGETHER)) {
      const found = await Promise.all(some.map(([call_id, tenant_id]) => this.answer(tenant_id, call_id)));
      await this.answers.write(found.filter((answer) => answer !== undefined));
    }
  }

  private mayAnswer({ event_type, event, timestamp_ms }: Recorded): boolean {
    if (event.meta.call_id === null || !this.standing.mayAnswer(event.meta.tenant_id, timestamp_ms)) return false;
    return ANSWERING.has(event_type) || ('effect' in event && event_type === 'policy_decided' && event.effect === 'deny');
  }

  /** Undefined: it is no call of a producer, or has no answer yet. */
  private async answer(tenant_id: string, call_id: string): Promise<ProducerAnswer | undefined> {
    const state = await this.calls.recorded.views.call(tenant_id, call_id);
    const producer_id = producerOfToken(state?.call?.authority?.agent_token_ref ?? '');
    if (!state || producer_id === undefined || settledAs(state) === undefined) return undefined;
    const owner = this.standing.answered(producer_id);
    if (owner?.tenant_id !== tenant_id) return undefined;
    const { envelope } = await this.calls.reading(state, callerOfKey(owner));
    return { producer_id, state, envelope };
  }
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
