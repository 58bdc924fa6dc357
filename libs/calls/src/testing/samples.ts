import {
  type EventMap,
  type EventType,
  type Meta,
  NO_CONTEXT,
  type Outcome,
  type ToolCall,
  type ToolContract,
} from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';

export const CALL_ID = '2-0197b3a0-0000-7000-8000-000000000001';

export function sampleContract(more: Partial<ToolContract> = {}): ToolContract {
  return {
    name: 'write_note',
    version: '1.2.0',
    title: 'Write a note',
    description: 'Writes a note.',
    category: 'notes',
    input_schema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1 },
        text: { type: 'string' },
        mode: { enum: ['create', 'append'], default: 'create' },
        note: { type: 'string' },
      },
      required: ['path', 'text'],
    },
    output_schema: { type: 'object' },
    effect_class: 'stage',
    reversibility: 'reversible',
    idempotency: { except: ['note'] },
    takes_key: false,
    has_reconcile: false,
    has_compensate: false,
    timeout_ms: 1000,
    settle_ms: 2000,
    settle_is_final: false,
    max_output_bytes: 65_536,
    markings: [],
    scopes: [],
    ...more,
  };
}

export function sampleMeta(more: Partial<Meta> = {}): Meta {
  return {
    event_id: '0197b3a0-0000-7000-8000-00000000000a',
    tenant_id: 'acme',
    call_id: CALL_ID,
    attempt: 1,
    causation_id: null,
    correlation_id: '0197b3a000007000800000000000000b',
    hlc: 10,
    partition: 2,
    ...more,
  };
}

export function sampleCall(more: Partial<ToolCall> = {}): ToolCall {
  return {
    tool: 'write_note',
    version: '1.2.0',
    effect_class: 'stage',
    category: 'notes',
    contract_digest: 'd'.repeat(64),
    inputs_json: '{"path":"a","text":"é \\"quoted\\""}',
    inputs_digest: 'e'.repeat(64),
    sealed: null,
    mapped: null,
    idempotency_key: '0197b3a0-0000-7000-8000-000000000009',
    key_source: 'derived',
    discriminating_digest: 'f'.repeat(64),
    window_ms: 1000,
    case_id: null,
    run_id: null,
    occurrence: null,
    principal: { kind: 'agent', id: 'bot', roles: ['agent'] },
    context: { ...NO_CONTEXT },
    deadline_ms: null,
    authority: null,
    callback_url: null,
    requested_at_ms: 1_000,
    lane: 'shared',
    ...more,
  };
}

export function sampleOutcome(more: Partial<Outcome> = {}): Outcome {
  return {
    status: 'succeeded',
    output_json: '{"bytes":3}',
    error: null,
    effect: 'happened',
    started_at_ms: 2_000,
    ended_at_ms: 2_040,
    duration_ms: 40,
    retry_count: 0,
    truncated: false,
    attachments: [],
    warnings: [],
    extras: null,
    ...more,
  };
}

/** An event with its position on the log. */
export function placed<T extends EventType>(type: T, event: EventMap[T], topic: string, offset = 0, timestamp_ms = 3_000): PlacedEvent {
  return { event_type: type, event, topic, partition: 2, offset, timestamp_ms } as unknown as PlacedEvent;
}

export function sampleRuling(more: Partial<EventMap['policy_decided']> = {}): EventMap['policy_decided'] {
  return {
    meta: sampleMeta({ hlc: 20 }),
    decision_id: 'dec-1',
    revision: 1,
    effect: 'allow',
    tier: 'tier_1_auto',
    approval_mode_effective: 'local_write',
    rule: 'default',
    bundle_version: 'builtin',
    config_offset: 3,
    reason: null,
    joined_call_id: null,
    approval_id: null,
    execute_before_ms: 60_000,
    reservations: [],
    defer: null,
    explanation: null,
    source: { topic: 'tool-call-requested', offset: 0 },
    call: sampleCall(),
    ...more,
  };
}

export function sampleEnd(more: Partial<EventMap['tool_executed']> = {}): EventMap['tool_executed'] {
  return {
    meta: sampleMeta({ hlc: 40 }),
    idempotency_key: sampleCall().idempotency_key,
    tool: 'write_note',
    version: '1.2.0',
    epoch: 1,
    decision_id: 'dec-1',
    revision: 1,
    outcome: sampleOutcome(),
    source: { topic: 'policy-decided', offset: 0 },
    also: null,
    ...more,
  };
}
