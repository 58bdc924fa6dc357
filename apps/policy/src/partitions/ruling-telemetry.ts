import type { AnyEvent } from '@countersign/contracts';
import type { PolicyCounters } from '../policy-counters.js';
import type { PolicySpans } from '../policy-spans.js';

/** Counters and spans of the events that the policy service writes. */
export class RulingTelemetry {
  constructor(
    private readonly counters: PolicyCounters,
    private readonly spans: PolicySpans,
  ) {}

  count(event: AnyEvent): void {
    this.counters.count(event);
  }

  /** The traceparent of an event that follows from a record with this one. */
  traceparentOf(event: AnyEvent, traceparent: string | undefined): string | undefined {
    return this.spans.follow(event, traceparent);
  }
}
