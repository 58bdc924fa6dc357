import { type EventMap, sagaKey, uuidv7 } from '@countersign/contracts';
import { decideSaga, type SagaCommand, type SagaDecision } from '@countersign/domain';
import type { NewRecord } from '@countersign/event-log';
import { keyOfSaga, type OpenSaga, openedSaga } from '../sagas/open-saga.js';
import type { SagaOrder, SagaWork } from '../sagas/saga-work.js';
import type { RecordCause, SagaRecords } from './saga-records.js';

type Decided = Pick<Extract<SagaDecision, { kind: 'recorded' }>, 'facts' | 'state'>;
type Refusal = Omit<EventMap['saga_request_refused'], 'meta'>;

/**
 * Decides a batch of commands on the sagas of one partition. The states move at once; the records are appended together afterwards, and
 * nothing is done for a saga before that.
 */
export class SagaRound {
  readonly records: NewRecord[] = [];
  /** Sagas that changed, or whose command had no effect: what they need now is performed after the append. */
  readonly touched = new Set<OpenSaga>();

  constructor(
    private readonly sagas: Map<string, OpenSaga>,
    private readonly encode: SagaRecords,
    private readonly now_ms: number,
    /** Whether an earlier saga with this key ended. */
    private readonly hasEnded: (key: string) => boolean,
  ) {}

  /** @throws Error if the decider has a defect; nothing of the command is kept then. */
  decide(work: SagaWork): void {
    const open = this.sagas.get(keyOfSaga(work));
    if (open) this.touched.add(open);
    const decided = this.decided(work, open);
    if (typeof decided === 'string') this.refuse(work, decided, open);
    else if (decided.facts.length > 0) this.keep(work, open, decided);
  }

  /** The facts of a command; none if it repeats or comes too late; a text if it is refused. */
  private decided({ order, cause, ...of }: SagaWork, open: OpenSaga | undefined): Decided | string {
    if (typeof order === 'string') return order;
    if (!open && order.kind === 'start' && this.hasEnded(keyOfSaga(of))) return repeated(order);
    const decision = decideSaga({ ...order, now_ms: this.now_ms } as SagaCommand, open?.state);
    if (decision.kind === 'refused') return decision.message;
    return decision.facts.length === 0 && cause ? repeated(order) : decision;
  }

  private keep(work: SagaWork, open: OpenSaga | undefined, { facts, state }: Decided): void {
    if (!state) throw new Error(`saga ${work.saga_id}: its first record is not its start`);
    const { tenant_id, saga_id } = work;
    const correlation_id = open?.correlation_id ?? work.cause?.correlation_id ?? uuidv7(this.now_ms).replaceAll('-', '');
    const kept = open ?? { ...openedSaga({ tenant_id, correlation_id, hlc: 0 }, state), durable: null };
    const cause = { ...this.causeOf(work, correlation_id), after_hlc: Math.max(kept.hlc, work.cause?.hlc ?? 0) };
    const encoded = facts.map((fact) => {
      const one = this.encode.of(fact, cause);
      cause.after_hlc = one.hlc;
      return one.record;
    });
    this.records.push(...encoded);
    for (const { event_type, body } of facts) if (event_type === 'saga_step_requested') kept.unsent.add(body.call_id);
    Object.assign(kept, { state, hlc: cause.after_hlc });
    this.sagas.set(sagaKey(tenant_id, saga_id), kept);
    this.touched.add(kept);
  }

  /** Takes all decisions back: none of their records is on the log. */
  takeBack(): void {
    for (const saga of this.touched)
      if (saga.durable) Object.assign(saga, saga.durable);
      else this.sagas.delete(keyOfSaga(saga));
  }

  private causeOf({ tenant_id, cause }: SagaWork, correlation_id: string): Omit<RecordCause, 'after_hlc'> {
    return { tenant_id, correlation_id, causation_id: cause?.event_id ?? null, cause_hash: cause?.leaf_hash, now_ms: this.now_ms };
  }

  /** Every request has an answer on the log: else nobody would know whether it was read. */
  private refuse(work: SagaWork, message: string, open: OpenSaga | undefined): void {
    const { cause, saga_id } = work;
    if (!cause) return;
    const source = { topic: cause.topic, offset: cause.offset };
    const refusal: Refusal = {
      saga_id,
      case_id: open?.state.case_id ?? null,
      command_id: cause.event_id,
      message,
      source,
      refused_at_ms: this.now_ms,
    };
    const { record } = this.encode.of(
      { event_type: 'saga_request_refused', body: refusal },
      { ...this.causeOf(work, cause.correlation_id), after_hlc: cause.hlc },
    );
    this.records.push(record);
  }
}

function repeated(order: SagaOrder): string {
  if (order.kind === 'start') return 'a saga with this id exists: read it, or use another id';
  if (order.kind === 'wait_answered') return 'the wait has ended already';
  return 'the saga does not permit this now, or it happened already';
}
