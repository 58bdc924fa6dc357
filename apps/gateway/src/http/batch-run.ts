import type { CallState } from '@countersign/domain';
import type { BatchRequest } from '../admission/call-request.js';
import type { Caller } from '../identity/authenticator.js';
import type { AnswerSink } from './call-answer.js';
import type { CallIntake } from './call-intake.js';
import { envelopeText, isKeyReuse } from './envelope.js';
import { keyReuse } from './post-reply.js';
import { Problem } from './problem.js';

type BatchCall = BatchRequest['calls'][number];

/** Calls that name themselves or a later one: dependencies point backwards only, so there are no rings. */
export function dependencyFault(calls: readonly BatchCall[]): Problem | undefined {
  const issues = calls.flatMap((call, index) =>
    (call.depends_on ?? []).flatMap((dependency, at) =>
      dependency < index ? [] : [{ path: `/calls/${index}/depends_on/${at}`, code: 'order', message: 'names no earlier call' }],
    ),
  );
  return issues.length === 0 ? undefined : new Problem('invalid-request', 'a call depends on earlier calls only', { issues });
}

class Line implements AnswerSink {
  constructor(
    private readonly run: BatchRun,
    private readonly index: number,
  ) {}
  answered(_status: 200 | 202, state: CallState): void {
    if (isKeyReuse(state)) this.refused(keyReuse(state.call_id));
    else this.run.ended(this.index, `{"index":${this.index},"call":${envelopeText(state)}}`, state.end?.outcome.status === 'succeeded');
  }
  refused(problem: Problem): void {
    const document = problem.document(`/v1/calls:batch#/calls/${this.index}`);
    this.run.ended(this.index, `{"index":${this.index},"problem":${JSON.stringify(document)}}`, false);
  }
}

/** One batch: independent calls at once, dependent ones when what they depend on succeeded; a line each as it ends. */
export class BatchRun {
  private readonly outcomes: (boolean | undefined)[];
  private readonly sent: boolean[];
  private left: number;

  constructor(
    private readonly intake: CallIntake,
    private readonly calls: readonly BatchCall[],
    private readonly by: { caller: Caller; traceparent: string | undefined; wait_ms: number },
    private readonly out: { line(text: string): void; end(): void },
  ) {
    this.outcomes = calls.map(() => undefined);
    this.sent = calls.map(() => false);
    this.left = calls.length;
  }

  start(): void {
    this.go();
  }

  ended(index: number, line: string, succeeded: boolean): void {
    if (this.outcomes[index] !== undefined) return;
    this.outcomes[index] = succeeded;
    this.out.line(line);
    this.left--;
    if (this.left === 0) this.out.end();
    else this.go();
  }

  private go(): void {
    for (let index = 0; index < this.calls.length; index++) {
      if (this.sent[index]) continue;
      const needs = (this.calls[index] as BatchCall).depends_on ?? [];
      const failed = needs.find((need) => this.outcomes[need] === false);
      if (failed === undefined && !needs.every((need) => this.outcomes[need])) continue;
      this.sent[index] = true;
      if (failed === undefined) this.send(index);
      else new Line(this, index).refused(new Problem('dependency-failed', `call ${failed} did not succeed; this one was not sent`));
    }
  }

  private send(index: number): void {
    const { depends_on: _needs, idempotency_key, ...request } = this.calls[index] as BatchCall;
    const line = new Line(this, index);
    const span = this.intake.span('POST /v1/calls:batch', this.by.traceparent);
    const admitted = this.intake.admit(request, this.by.caller, idempotency_key, span.traceparent);
    const refused = admitted instanceof Problem ? admitted : this.intake.seat(admitted, line, this.by.wait_ms, span);
    if (!refused) return;
    span.end(refused.kind);
    line.refused(refused);
  }
}
