import {
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type TextMapSetter,
  type Tracer,
  trace,
} from '@opentelemetry/api';

type Carrier = { traceparent?: string | undefined };
const getter: TextMapGetter<Carrier> = {
  keys: () => ['traceparent'],
  get: (carrier, key) => (key === 'traceparent' ? carrier.traceparent : undefined),
};
const setter: TextMapSetter<Carrier> = {
  set(carrier, key, value) {
    if (key === 'traceparent') carrier.traceparent = value;
  },
};

export type SpanAttributes = Record<string, string | number | boolean | string[]>;

/** One hop of a call. */
export interface CallSpan {
  /** W3C traceparent for the records that this hop writes. */
  readonly traceparent: string | undefined;
  set(attributes: SpanAttributes): void;
  end(error?: string): void;
}

class RecordedSpan implements CallSpan {
  constructor(
    private readonly span: Span,
    readonly traceparent: string | undefined,
  ) {}
  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }
  end(error?: string): void {
    if (error !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    this.span.end();
  }
}

class PassedOn implements CallSpan {
  constructor(readonly traceparent: string | undefined) {}
  set(): void {}
  end(): void {}
}

/**
 * Spans of a call across its hops, in one trace from HTTP to the result. If no SDK is loaded (no OTEL_* in the environment), the given
 * traceparent is passed on unchanged and nothing else is done.
 */
export class CallTracer {
  private readonly tracer: Tracer;
  constructor(
    service: string,
    private readonly recording: boolean,
  ) {
    this.tracer = trace.getTracer(`countersign.${service}`);
  }

  /** @param link traceparent of a span that this span is related to but not part of. */
  start(name: string, traceparent: string | undefined, kind: SpanKind = SpanKind.INTERNAL, link?: string): CallSpan {
    if (!this.recording) return new PassedOn(traceparent);
    const parent = propagation.extract(context.active(), { traceparent }, getter);
    const linked = link === undefined ? undefined : trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent: link }, getter));
    const span = this.tracer.startSpan(name, { kind, ...(linked ? { links: [{ context: linked }] } : {}) }, parent);
    const carrier: Carrier = {};
    propagation.inject(trace.setSpan(parent, span), carrier, setter);
    return new RecordedSpan(span, carrier.traceparent ?? traceparent);
  }
}

/** The decision on a call as span attributes, with the names of ContextOS and of Countersign. */
export function decisionAttributes(approvalMode: string, decisionId: string): Record<string, string> {
  return {
    'contextos.action.approval_mode_effective': approvalMode,
    'contextos.action.policy_decision_id': decisionId,
    'countersign.action.approval_mode_effective': approvalMode,
    'countersign.action.policy_decision_id': decisionId,
  };
}
