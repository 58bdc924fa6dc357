import type { EventMap } from '@countersign/contracts';
import { beforeEach, describe, expect, test } from 'vitest';
import { holderOf } from '../approval/state.js';
import { expireApproval } from '../approval/time.js';
import { aCall, allows, aMeta, asks, person, RuledPartition } from '../testing/ruled-partition.js';

let policy: RuledPartition;
beforeEach(() => {
  policy = new RuledPartition();
});

const effect = { call_id: 'c1', idempotency_key: 'key-1', attempt: 1, kind: 'own' as const, also: null, late_offset: null };
const undo = aCall({ idempotency_key: 'undo-1', key_source: 'effect', compensates: effect });
const ruling = () => policy.last('policy_decided');
const ends = (call_id: string, event_type: 'tool_executed' | 'tool_call_in_doubt' | 'tool_call_resolved') =>
  policy.fold({ event_type, event: { meta: aMeta(call_id) } as EventMap[typeof event_type] } as never);

describe('given an effect with an undo that policy ruled on', () => {
  test('an equal call is refused as retryable', () => {
    policy.rule('u1', allows, { call: undo });
    policy.rule('c2', allows);
    expect(ruling()).toMatchObject({ effect: 'deny', rule: 'key.being_undone', reason: { retryable: true, retry_after_s: 1 } });
    expect(ruling().reason?.details_json).toBe('{"reason":"effect_being_undone"}');
  });

  test('also while the undo waits for approval, but not after it was denied or has expired', () => {
    for (const [call_id, end] of [
      ['u1', () => policy.vote('u1.1', person('ann'), 'deny', { reason: 'no' })],
      [
        'u2',
        () =>
          policy.write(
            expireApproval(policy.state.approvals.get('u2.1') as never, holderOf(policy.state.approvals.get('u2.1') as never).meta),
          ),
      ],
    ] as const) {
      policy.rule(call_id, asks, { call: undo });
      policy.rule(`${call_id}-equal`, allows);
      expect(ruling().effect).toBe('deny');
      end();
      policy.rule(`${call_id}-later`, allows);
      expect(ruling().effect).toBe('allow');
    }
  });

  test('another undo of the effect is not refused, nor is a call with another key', () => {
    policy.rule('u1', allows, { call: undo });
    policy.rule('u2', allows, { call: undo });
    expect(ruling().effect).toBe('allow');
    policy.rule('c3', allows, { call: aCall({ idempotency_key: 'key-2' }) });
    expect(ruling().effect).toBe('allow');
  });

  test('equal calls are allowed once the last of several undos has ended', () => {
    policy.rule('u1', allows, { call: undo });
    policy.rule('u2', allows, { call: undo });
    ends('u1', 'tool_executed');
    policy.rule('c2', allows);
    expect(ruling().effect).toBe('deny');
    ends('u2', 'tool_executed');
    policy.rule('c3', allows);
    expect(ruling().effect).toBe('allow');
    expect(policy.state.undoing.size).toBe(0);
  });

  test('a doubt about the undo blocks equal calls until it is resolved', () => {
    policy.rule('u1', allows, { call: undo });
    ends('u1', 'tool_call_in_doubt');
    policy.rule('c2', allows);
    expect(ruling().effect).toBe('deny');
    ends('u1', 'tool_call_resolved');
    policy.rule('c3', allows);
    expect(ruling().effect).toBe('allow');
  });

  test('a repeated request after its end gets a new ruling, and blocks no call', () => {
    policy.rule('u1', allows, { call: undo });
    ends('u1', 'tool_executed');
    expect(policy.rule('u1', allows, { call: undo })).toEqual(['policy_decided']);
    policy.rule('c2', allows);
    expect(ruling().effect).toBe('allow');
  });

  test('a denied undo blocks no call', () => {
    policy.rule('u1', { ...allows, effect: 'deny' }, { call: undo });
    policy.rule('c2', allows);
    expect(ruling().effect).toBe('allow');
  });
});
