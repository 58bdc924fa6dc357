import { type AnswerSink, type CallAnswer, type Caller, type Calls, type Refusal } from '@countersign/calls';
import { settledAs } from '@countersign/calls/waiting/is-answer';
import { InfrastructureFault } from '@countersign/contracts';
import type { ProducedRequest } from './produced-commands.js';

/**
 * What became of a request. `repeat`: it was recorded before and has an answer, which may have been written before. One that still runs has
 * none: the end of its call may be written before this is.
 */
export type AdmissionOutcome =
  | { kind: 'recorded'; call_id: string; repeat?: CallAnswer | undefined }
  | { kind: 'full' }
  | { kind: 'refused'; refusal: Refusal };

/** Refusals of calls that are on the record: their answer follows from it. */
const RECORDED: ReadonlySet<Refusal['kind']> = new Set(['no-ruling-yet', 'key-reused', 'being-undone']);

/** W3C trace context. Kafka bounds no header. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Resolves with the outcome of one request. */
class OutcomeSink implements AnswerSink {
  constructor(
    private readonly resolve: (outcome: AdmissionOutcome) => void,
    private readonly reject: (cause: unknown) => void,
  ) {}

  answered(answer: CallAnswer): void {
    const { state, repeat } = answer;
    const isAnswered = repeat && settledAs(state) !== undefined;
    this.resolve({ kind: 'recorded', call_id: state.call_id, repeat: isAnswered ? answer : undefined });
  }

  refused(refusal: Refusal): void {
    const { call_id } = refusal.more;
    if (refusal.kind === 'too-many-in-flight') this.resolve({ kind: 'full' });
    else if (refusal.kind === 'unavailable') this.reject(new InfrastructureFault(refusal.detail));
    else if (RECORDED.has(refusal.kind) && typeof call_id === 'string') this.resolve({ kind: 'recorded', call_id });
    else this.resolve({ kind: 'refused', refusal });
  }

  unreadable(call_id: string): void {
    this.resolve({ kind: 'recorded', call_id });
  }
}

/** Submits the requests of producers as POSTs are submitted. */
export class RequestAdmission {
  constructor(private readonly calls: Pick<Calls, 'submit'>) {}

  /**
   * Resolves when the request is on the record and ruled on, or is not accepted.
   * @throws InfrastructureFault if it may not be recorded: submit it again
   */
  submit({ request, idempotency_key, record }: ProducedRequest, caller: Caller): Promise<AdmissionOutcome> {
    const traceparent = TRACEPARENT.test(record.headers.traceparent ?? '') ? record.headers.traceparent : undefined;
    const by = { caller, idempotency_key, traceparent, wait_ms: 0, span_name: 'produced call', warns_of_deprecation: true };
    return new Promise((resolve, reject) => {
      Promise.resolve(this.calls.submit(request, by, new OutcomeSink(resolve, reject))).catch(reject);
    });
  }
}
