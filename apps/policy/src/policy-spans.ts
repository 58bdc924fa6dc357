import type { AnyEvent } from '@countersign/contracts';
import { type CallTracer, decisionAttributes } from '@countersign/process';

/** Spans of the policy service in the trace of a call: one per decision and one per grant, so that later spans follow from the decision. */
export class PolicySpans {
  constructor(private readonly tracer: CallTracer | undefined) {}

  follow(published: AnyEvent, traceparent: string | undefined): string | undefined {
    if (!this.tracer) return traceparent;
    if (published.event_type !== 'policy_decided' && published.event_type !== 'approval_granted') return traceparent;
    const span = this.tracer.start(`policy ${published.event_type}`, traceparent);
    span.set({ 'countersign.call_id': published.event.meta.call_id as string, 'countersign.tenant_id': published.event.meta.tenant_id });
    if (published.event_type === 'policy_decided') {
      const { approval_mode_effective, decision_id, effect, rule } = published.event;
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
