import type { AnyEvent } from '@countersign/contracts';
import { type CallTracer, decisionAttributes } from '@countersign/process';

/** Policy's hop in the trace of a call: a span a ruling and a span a grant, so that what follows hangs on the decision. */
export class PolicySpans {
  constructor(private readonly tracer: CallTracer | undefined) {}

  follow(said: AnyEvent, traceparent: string | undefined): string | undefined {
    if (!this.tracer) return traceparent;
    if (said.event_type !== 'policy_decided' && said.event_type !== 'approval_granted') return traceparent;
    const span = this.tracer.start(`policy ${said.event_type}`, traceparent);
    span.set({ 'countersign.call_id': said.event.meta.call_id as string, 'countersign.tenant_id': said.event.meta.tenant_id });
    if (said.event_type === 'policy_decided') {
      const { approval_mode_effective, decision_id, effect, rule } = said.event;
      span.set({
        ...decisionAttributes(approval_mode_effective, decision_id),
        'countersign.ruling.effect': effect,
        'countersign.ruling.rule': rule,
      });
    }
    span.end();
    return span.traceparent;
  }
}
