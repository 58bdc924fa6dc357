import {
  type Admission,
  type AdmittedCall,
  type CallDesk,
  type Caller,
  type CallMapper,
  type CallRequest,
  type CallSealer,
  callRequest,
  type EffectReader,
  type OwedCallbacks,
  type Readable,
  Refusal,
} from '@countersign/calls';
import { type Authority, uuidv7 } from '@countersign/contracts';
import type { CallSpan, CallTracer } from '@countersign/process';
import { SpanKind } from '@opentelemetry/api';
import { type DelegatedAuthority, isDelegated } from '../identity/delegated-authority.js';
import type { RefusedRequests } from '../identity/refused-requests.js';
import { parseBody } from './body-issues.js';
import { type AnswerSink, CallAnswer } from './call-answer.js';
import type { CallRoom } from './call-room.js';
import { PostReply } from './post-reply.js';
import { waitOf } from './preferences.js';
import { headerOf, type IncomingRequest, type OutgoingReply, sendProblem } from './reply.js';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id that a call keeps: the caller's, else one of its own. */
function traceIdOf(traceparent: string | undefined, now_ms: number): string {
  const match = traceparent === undefined ? null : TRACEPARENT.exec(traceparent);
  return match && !/^0+$/.test(match[1] as string) ? (match[1] as string) : uuidv7(now_ms).replaceAll('-', '');
}

/** Who asks for a call and how. `authority` absent: the caller's own. */
export interface AskedBy {
  caller: Caller;
  idempotency_key: string | undefined;
  traceparent: string | undefined;
  authority?: Authority | undefined;
}

/** From the body of `POST /v1/calls` to its seat at the desk. */
export class CallIntake {
  constructor(
    private readonly admission: Admission,
    private readonly desk: CallDesk,
    private readonly room: CallRoom,
    private readonly parts: {
      tracer: CallTracer;
      delegated: DelegatedAuthority;
      mapper: CallMapper;
      sealer: CallSealer;
      readable: Readable;
      refused: RefusedRequests;
      owed: OwedCallbacks;
      effects: EffectReader;
    },
  ) {}

  /** Answers now where the call is refused, else when the answer is there. A promise only where tokens or other calls must be looked up first. */
  post(request: IncomingRequest, reply: OutgoingReply, caller: Caller): void | Promise<void> {
    const parsed = parseBody(callRequest, request.body);
    if (parsed instanceof Refusal) return sendProblem(request, reply, parsed);
    if (!isDelegated(parsed)) return this.answer(request, reply, parsed, caller);
    return this.parts.delegated.of(parsed, caller).then((authority) => {
      if (authority instanceof Refusal) {
        this.parts.refused.note(caller, request, authority);
        return sendProblem(request, reply, authority);
      }
      return this.answer(request, reply, parsed, caller, authority);
    });
  }

  /** By whose rights a call is made: at once, unless tokens or other calls must be looked up. */
  authority(call: CallRequest, caller: Caller): Promise<Authority | Refusal> | undefined {
    return isDelegated(call) ? this.parts.delegated.of(call, caller) : undefined;
  }

  admit(call: CallRequest, by: AskedBy): AdmittedCall | Refusal {
    const now_ms = this.room.clock.now_ms();
    const { caller, idempotency_key, authority } = by;
    const origin = { caller, idempotency_key, now_ms, trace_id: traceIdOf(by.traceparent, now_ms) };
    return this.admission.admit(call, authority ? { ...origin, authority } : origin);
  }

  get effects(): EffectReader {
    return this.parts.effects;
  }

  get readable(): Readable {
    return this.parts.readable;
  }

  /** Puts the call on the record, mapped, its personal data sealed. @returns a promise only where there is a mapping or personal data, or a callback is owed */
  record(admitted: AdmittedCall, sink: AnswerSink, wait_ms: number, span: CallSpan): Refusal | undefined | Promise<Refusal | undefined> {
    const prepared = this.prepared(admitted);
    if (prepared === undefined) return this.seat(admitted, sink, wait_ms, span);
    return prepared.then((one) => (one instanceof Refusal ? one : this.seat(one, sink, wait_ms, span)));
  }

  /** The call mapped, then sealed; undefined where neither concerns it. */
  private prepared(admitted: AdmittedCall): Promise<AdmittedCall | Refusal> | undefined {
    const { mapper, sealer } = this.parts;
    const mapped = mapper.map(admitted);
    if (mapped === undefined) return sealer.seal(admitted);
    return mapped.then(async (one) => {
      if (!(one instanceof Refusal)) return sealer.seal(one) ?? one;
      // A request that its run numbers may be on the record, whatever the mapping takes by now: it is answered from there.
      const { call_id, tenant_id } = admitted.meta;
      return admitted.numbered && (await this.desk.refresh(tenant_id, call_id)) ? admitted : one;
    });
  }

  /** What is owed is kept before the call can end; of a call that is not taken nothing is. */
  private seat(
    admitted: AdmittedCall,
    sink: AnswerSink,
    wait_ms: number,
    span: CallSpan,
  ): Refusal | undefined | Promise<Refusal | undefined> {
    if (admitted.call.callback_url === null || admitted.refusal_if_new) return this.place(admitted, sink, wait_ms, span);
    const { call_id, tenant_id } = admitted.meta;
    return this.parts.owed.owe({ call_id, tenant_id }).then(() => {
      const refused = this.place(admitted, sink, wait_ms, span);
      // The id of a call that its run numbers may be that of one which is on the record.
      if (refused && !admitted.numbered) this.parts.owed.settle(call_id);
      return refused;
    });
  }

  /** Puts the call on the record and the sink on its seat. @returns why not, where it is not taken. */
  private place(admitted: AdmittedCall, sink: AnswerSink, wait_ms: number, span: CallSpan): Refusal | undefined {
    const { call_id, tenant_id, event_id } = admitted.meta;
    const numbered = admitted.numbered ? admitted.call : undefined;
    const answer = new CallAnswer(this.room, sink, { call_id, tenant_id, wait_ms, event_id, numbered }, span);
    const refused = this.desk.submit(admitted, answer, span.traceparent);
    if (refused) return refused;
    if (admitted.call.callback_url !== null && !admitted.refusal_if_new) this.room.owe(call_id, tenant_id);
    answer.start();
    return undefined;
  }

  span(name: string, traceparent: string | undefined): CallSpan {
    return this.parts.tracer.start(name, traceparent, SpanKind.SERVER);
  }

  private answer(
    request: IncomingRequest,
    reply: OutgoingReply,
    call: CallRequest,
    caller: Caller,
    authority?: Authority,
  ): void | Promise<void> {
    const span = this.span('POST /v1/calls', headerOf(request, 'traceparent'));
    const idempotency_key = headerOf(request, 'idempotency-key');
    const admitted = this.admit(call, { caller, idempotency_key, traceparent: span.traceparent, authority });
    const refuse = (problem: Refusal | undefined) => {
      if (!problem) return;
      span.end(problem.kind);
      sendProblem(request, reply, problem);
    };
    if (admitted instanceof Refusal) return refuse(admitted);
    const sink = new PostReply(request, reply, this.parts, caller, admitted.deprecation);
    const recorded = this.record(admitted, sink, waitOf(headerOf(request, 'prefer')), span);
    return recorded instanceof Promise ? recorded.then(refuse) : refuse(recorded);
  }
}
