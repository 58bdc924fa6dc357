import { type Authority, uuidv7 } from '@countersign/contracts';
import type { CallSpan, CallTracer } from '@countersign/process';
import { SpanKind } from '@opentelemetry/api';
import type { Admission } from '../admission/admission.js';
import type { Callbacks } from '../callbacks/callbacks.js';
import type { CallRecorder } from '../recording/call-recorder.js';
import { Refusal } from '../refusal.js';
import type { AdmittedCall } from '../request/admitted-call.js';
import type { CallRequest } from '../request/call-request.js';
import { type AuthorityResolver, isDelegated } from '../request/delegated-request.js';
import type { CallTracker } from '../tracking/call-tracker.js';
import type { AnswerWriter, CallSink } from './answer-writer.js';
import type { CallPreparer } from './call-preparer.js';
import { PendingAnswer } from './pending-answer.js';
import { authorityFor, type Submission, traceIdOf } from './submission.js';

type Refused = Refusal | undefined;

/** Takes a request from admission to its record and registers its caller for the end. */
export class CallSubmitter {
  constructor(
    private readonly admission: Admission,
    private readonly recorder: CallRecorder,
    private readonly tracker: CallTracker,
    private readonly parts: {
      tracer: CallTracer;
      authority: AuthorityResolver;
      preparer: CallPreparer;
      callbacks: Callbacks;
      answers: AnswerWriter;
    },
  ) {}

  /**
   * Records a call and registers the sink of its caller. Returns a promise only if tokens, other calls, a mapping, personal data or a
   * callback must be awaited first. The promise rejects if a store is unavailable; then the sink was not called.
   */
  submit(request: CallRequest, by: Submission, sink: CallSink): void | Promise<void> {
    if (!isDelegated(request)) return this.admit(request, by, sink, undefined);
    return this.parts.authority.of(request, by.caller).then((authority) => {
      if (authority instanceof Refusal) return sink.refused(authority);
      return this.admit(request, by, sink, authority);
    });
  }

  private admit(request: CallRequest, by: Submission, sink: CallSink, resolved: Authority | undefined): void | Promise<void> {
    const span = this.parts.tracer.start(by.span_name, by.traceparent, SpanKind.SERVER);
    if (by.span_attributes) span.set(by.span_attributes);
    const admitted = this.admission.admit(request, this.origin(by, span.traceparent, resolved));
    const refuse = (refusal: Refused): void => {
      if (!refusal) return;
      span.end(refusal.kind);
      sink.refused(refusal);
    };
    if (admitted instanceof Refusal) return refuse(admitted);
    const recorded = this.record(admitted, by, sink, span);
    return recorded instanceof Promise ? recorded.then(refuse) : refuse(recorded);
  }

  /** Records a call that was admitted and prepared elsewhere: without mapping or encryption here. */
  submitAdmitted(admitted: AdmittedCall, by: Submission, sink: CallSink): void {
    const span = this.parts.tracer.start(by.span_name, by.traceparent, SpanKind.SERVER);
    const refused = this.place(admitted, by, sink, span);
    if (!refused) return;
    span.end(refused.kind);
    sink.refused(refused);
  }

  private origin(by: Submission, traceparent: string | undefined, resolved: Authority | undefined) {
    const { caller, idempotency_key } = by;
    const authority = authorityFor(by, resolved);
    const now_ms = this.tracker.clock.now_ms();
    // The trace id of the call: from the caller's traceparent, else a new one.
    const cause = { ...(by.undoes ? { undoes: by.undoes } : {}), ...(by.step ? { step: by.step } : {}) };
    const origin = { caller, idempotency_key, now_ms, ...cause, trace_id: traceIdOf(traceparent) ?? uuidv7(now_ms).replaceAll('-', '') };
    return authority ? { ...origin, authority } : origin;
  }

  /** @returns a promise only if the call has a mapping, personal data or a callback. */
  private record(admitted: AdmittedCall, by: Submission, sink: CallSink, span: CallSpan): Refused | Promise<Refused> {
    const prepared = this.parts.preparer.prepared(admitted);
    if (prepared === undefined) return this.placeOwed(admitted, by, sink, span);
    return prepared.then((one) => (one instanceof Refusal ? one : this.placeOwed(one, by, sink, span)));
  }

  /** Stores the owed callback before the call can end. Removes it if the call is not accepted. */
  private placeOwed(admitted: AdmittedCall, by: Submission, sink: CallSink, span: CallSpan): Refused | Promise<Refused> {
    if (!owesCallback(admitted)) return this.place(admitted, by, sink, span);
    const { call_id, tenant_id } = admitted.meta;
    const { callbacks } = this.parts;
    return callbacks.owe({ call_id, tenant_id }).then(() => {
      const refused = this.place(admitted, by, sink, span);
      // The call of a numbered request may already be recorded: then its callback stays owed.
      if (refused && !admitted.numbered) callbacks.settle(call_id);
      return refused;
    });
  }

  /** Records the call and registers its caller. @returns why the call is not accepted. */
  private place(admitted: AdmittedCall, { caller, wait_ms, warns_of_deprecation }: Submission, sink: CallSink, span: CallSpan): Refused {
    const { call_id, tenant_id, event_id } = admitted.meta;
    const numbered = admitted.numbered ? admitted.call : undefined;
    const deprecation = warns_of_deprecation ? admitted.deprecation : undefined;
    const call = { call_id, tenant_id, wait_ms, event_id, numbered, caller, deprecation };
    const answer = new PendingAnswer(this.tracker, this.parts.answers, sink, call, span);
    const refused = this.recorder.submit(admitted, answer, span.traceparent);
    if (refused) return refused;
    sink.accepted?.(call_id);
    if (owesCallback(admitted)) this.parts.callbacks.watch(call_id, tenant_id);
    answer.start();
    return undefined;
  }
}

const owesCallback = ({ call, refusal_if_new }: AdmittedCall): boolean => call.callback_url !== null && !refusal_if_new;
