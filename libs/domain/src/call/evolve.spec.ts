import type { AnyEvent, EventMap, Meta, Outcome, Principal, ToolCall } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evolve, type PlacedEvent } from './evolve.js';
import { packCall, unpackCall } from './packed-call.js';

import { type CallState, statusOf } from './state.js';

const by: Principal = { kind: 'user', id: 'anna', roles: ['approver'] };
const call = { tool: 'create_purchase_order', version: '1.0.0', requested_at_ms: 1000 } as ToolCall;
const outcome = (status: Outcome['status'], output = '{}'): Outcome => ({
  status,
  output_json: output,
  error: null,
  effect: 'happened',
  started_at_ms: 1,
  ended_at_ms: 2,
  duration_ms: 1,
  retry_count: 0,
  truncated: false,
  attachments: [],
  warnings: [],
  extras: null,
});
const source = { topic: 'policy-decided', offset: 0 };

let hlc = 0;
const meta = (): Meta => ({
  event_id: `e${++hlc}`,
  tenant_id: 'acme',
  call_id: '0-0192f0c4-0000-7000-8000-000000000001',
  attempt: 1,
  causation_id: null,
  correlation_id: 't',
  hlc,
  partition: 0,
});
const at = (topic: string, offset: number, tagged: AnyEvent): PlacedEvent =>
  ({ ...tagged, topic, partition: 0, offset, timestamp_ms: 1000 + offset }) as PlacedEvent;

const requested = (offset = 0) => at('tool-call-requested', offset, { event_type: 'tool_call_requested', event: { meta: meta(), call } });
const ruled = (offset: number, revision: number, effect: 'allow' | 'deny' | 'require_approval') =>
  at('policy-decided', offset, {
    event_type: 'policy_decided',
    event: {
      meta: meta(),
      decision_id: `d${revision}`,
      revision,
      effect,
      tier: 'tier_1_auto',
      approval_mode_effective: 'local_write',
      rule: 'r',
      bundle_version: 'v',
      config_offset: 0,
      reason: null,
      joined_call_id: null,
      approval_id: null,
      execute_before_ms: 9,
      reservations: [],
      defer: null,
      explanation: null,
      source,
      call,
    },
  });
const granted = (offset: number, revision: number) =>
  at('approval-granted', offset, {
    event_type: 'approval_granted',
    event: {
      meta: meta(),
      approval_id: 'a',
      decision_id: 'd',
      revision,
      ruling_digest: 'x',
      votes: [],
      joined_call_id: null,
      execute_before_ms: 9,
      tier: 'tier_2_approval_required',
      source,
      call,
      similar: null,
      history_json: null,
      asked: null,
      parts: [],
      also: null,
    },
  });
const denied = (offset: number, revision: number) =>
  at('approval-granted', offset, {
    event_type: 'approval_denied',
    event: { meta: meta(), approval_id: 'a', revision, reason: 'too dear', by, source, call },
  });
const started = (offset: number, epoch: number, revision = 1) =>
  at('tool-executed', offset, {
    event_type: 'tool_call_started',
    event: {
      meta: meta(),
      idempotency_key: 'k',
      epoch,
      decision_id: 'd',
      revision,
      approval_id: null,
      config_offset: 0,
      fired_at_ms: 1,
      settle_at_ms: 2,
      source,
      resources: null,
      process: null,
      also: null,
    },
  });
const executed = (offset: number, epoch: number, output = '{}') =>
  at('tool-executed', offset, {
    event_type: 'tool_executed',
    event: {
      meta: meta(),
      idempotency_key: 'k',
      tool: 't',
      version: '1.0.0',
      epoch,
      decision_id: 'd',
      revision: 1,
      outcome: outcome('succeeded', output),
      source,
      also: null,
    },
  });
const inDoubt = (offset: number, epoch: number) =>
  at('tool-executed', offset, {
    event_type: 'tool_call_in_doubt',
    event: { meta: meta(), idempotency_key: 'k', tool: 't', version: '1.0.0', epoch, outcome: outcome('in_doubt'), source, also: null },
  });

const fold = (events: PlacedEvent[]): CallState => events.reduce<CallState | undefined>(evolve, undefined) as CallState;
const status = (...events: PlacedEvent[]) => statusOf(fold(events));

describe('the fold of a call', () => {
  test('edited inputs are kept beside the requested ones, in any read order', () => {
    const withInputs = (placed: PlacedEvent, inputs_json: string) =>
      ({ ...placed, event: { ...placed.event, call: { ...call, inputs_json } } }) as PlacedEvent;
    const events = [withInputs(requested(), '5'), withInputs(ruled(0, 1, 'require_approval'), '5'), withInputs(granted(0, 1), '2')];
    for (const order of [
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
      [1, 0, 2],
    ]) {
      const state = fold(order.map((n) => events[n] as PlacedEvent));
      expect([state.call?.inputs_json, state.asked_inputs_json]).toEqual(['2', '5']);
    }
    const asIs = fold([events[0] as PlacedEvent, events[1] as PlacedEvent, withInputs(granted(0, 1), '5')]);
    expect('asked_inputs_json' in asIs).toBe(false);
  });

  test('a call goes from pending to its end', () => {
    const history = [requested(), ruled(0, 1, 'require_approval'), granted(0, 1), started(0, 1), executed(1, 1)];
    expect(history.map((_, i) => status(...history.slice(0, i + 1)))).toEqual([
      'pending_policy',
      'pending_approval',
      'running',
      'running',
      'succeeded',
    ]);
  });

  test('denials by policy, denials by people and doubt are distinct', () => {
    expect(status(requested(), ruled(0, 1, 'deny'))).toBe('denied');
    expect(status(requested(), ruled(0, 1, 'require_approval'), denied(0, 1))).toBe('denied');
    expect(status(requested(), ruled(0, 1, 'allow'), started(0, 1), inDoubt(1, 2))).toBe('in_doubt');
  });

  test('within one topic the first record wins: a grant after a denial changes nothing', () => {
    expect(status(requested(), ruled(0, 1, 'require_approval'), denied(0, 1), granted(1, 1))).toBe('denied');
  });

  test('a new revision reopens a call that the previous one had allowed or granted', () => {
    expect(status(requested(), ruled(0, 1, 'require_approval'), granted(0, 1), ruled(1, 2, 'require_approval'))).toBe('pending_approval');
    expect(status(requested(), ruled(0, 1, 'allow'), ruled(1, 2, 'deny'))).toBe('denied');
  });

  test('a late result of a stale epoch resolves a doubt', () => {
    const state = fold([requested(), ruled(0, 1, 'allow'), started(0, 1), inDoubt(1, 2), executed(2, 1, '"late"')]);
    expect(statusOf(state)).toBe('succeeded');
    expect(state.end?.kind).toBe('resolved');
  });

  test('a late result of a stale epoch changes nothing if another epoch fired again', () => {
    const history = [
      requested(),
      ruled(0, 1, 'allow'),
      started(0, 1),
      started(1, 2),
      executed(2, 1, '"zombie"'),
      executed(3, 2, '"owner"'),
    ];
    expect(fold(history).end?.outcome.output_json).toBe('"owner"');
    expect(status(...history.slice(0, 5))).toBe('running');
  });

  test('an answer by an earlier call keeps its reason and the state of its effect, packed too; old records have neither', () => {
    const repeat = (more: Partial<EventMap['tool_retry_deduplicated']>) =>
      at('tool-executed', 0, {
        event_type: 'tool_retry_deduplicated',
        event: {
          meta: meta(),
          idempotency_key: 'k',
          tool: 't',
          version: '1.0.0',
          original_call_id: '0-x',
          outcome: outcome('succeeded'),
          source,
          because: null,
          effect_now: null,
          superseded_by: null,
          ...more,
        },
      });
    const how = { because: 'same_request', effect_now: 'superseded', superseded_by: '0-y' } as const;
    const state = { ...fold([repeat(how)]), call: null };
    expect(state.end).toMatchObject({ original_call_id: '0-x', deduplication: how });
    expect(unpackCall(packCall(state)).end).toEqual(state.end);
    const old = { ...fold([repeat({})]), call: null };
    expect(old.end).not.toHaveProperty('deduplication');
    expect(unpackCall(packCall(old)).end).toEqual(old.end);
    // Logs from before each call had one end: the second end is ignored.
    const first = fold([requested(), repeat(how)]);
    expect(evolve(first, repeat({ original_call_id: '0-z', outcome: outcome('failed') }))).toBe(first);
  });

  test('any order across topics and any repeats fold to the same state', () => {
    const topics = [
      [requested()],
      [ruled(0, 1, 'require_approval'), ruled(1, 2, 'require_approval')],
      [granted(0, 1), granted(1, 2), denied(2, 2)],
      [started(0, 1, 2), inDoubt(1, 2), executed(2, 1)],
    ];
    const expected = fold(topics.flat());
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(11)), (choices) => {
        const rest = topics.map((events) => [...events]);
        let state: CallState | undefined;
        while (rest.some((events) => events.length > 0)) {
          const choice = choices.next().value as number;
          const queue = rest[choice % 4] as PlacedEvent[];
          const event = queue[0];
          if (!event) continue;
          state = evolve(state, event);
          if (choice < 8) queue.shift();
        }
        expect(state).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
