import type { Meta, ToolCall } from '@countersign/contracts';
import { type Authorised, Job } from '../calls/job.js';

/** A write with a decision at this offset of `policy-decided`, for specs without I/O. */
export function plainJob(call_id: string, { offset = 0, revision = 1, key = 'key' } = {}): Job {
  const meta = { call_id, tenant_id: 'default', partition: 0, attempt: 1 } as Meta;
  const call = { idempotency_key: key, discriminating_digest: 'c'.repeat(64), key_source: 'derived', sealed: null } as ToolCall;
  const authorised: Authorised = {
    meta,
    call,
    decision_id: 'd',
    revision,
    approval_id: null,
    given: [],
    config_offset: null,
    joined_call_id: null,
    execute_before_ms: Number.POSITIVE_INFINITY,
    lane: 'shared',
    source: { topic: 'policy-decided', offset },
    traceparent: undefined,
    secondary_key: null,
  };
  return new Job(authorised, true);
}
