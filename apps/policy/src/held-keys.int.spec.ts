import { uuidv7 } from '@countersign/contracts';
import { aMeta } from '@countersign/domain/testing/ruled-partition';
import { digest8 } from '@countersign/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PolicyRig } from './testing/policy-rig.js';

let rig: PolicyRig;

beforeEach(async () => {
  rig = await PolicyRig.open();
});
afterEach(() => rig.close());

describe('a key that tool_executions holds', () => {
  const holder = uuidv7(1);
  const held = (state: 2 | 5, discriminating_digest: string, ended_at_s: number, stands: boolean | null = true) => {
    const key = uuidv7(rig.now());
    const row = { key, attempt: 1, tenant_id: 'acme', call_uuid: holder, partition: 0, lane: 'shared', epoch: 1, state };
    rig.store.rows.push({
      ...row,
      digest8: digest8(discriminating_digest),
      source_topic: 0,
      source_offset: 0,
      end_offset: 1,
      ended_at_s,
      resources: null,
      stands,
    });
    return key;
  };
  const now_s = () => Math.floor(rig.now() / 1000);
  const digest = 'ab'.repeat(32);
  const ruling = async (idempotency_key: string, more = {}) =>
    rig.seen(await rig.request('pay', { idempotency_key, discriminating_digest: digest, window_ms: 60_000, ...more }), 'policy_decided');

  test('answers a later call without an approval request', async () => {
    expect(await ruling(held(2, digest, now_s()))).toMatchObject({ effect: 'allow', joined_call_id: `0-${holder}` });
  });

  test('requests approval again if the effect of the earlier call is no longer in place', async () => {
    expect((await ruling(held(2, digest, now_s(), false))).effect).toBe('require_approval');
    expect((await ruling(held(2, digest, now_s(), null))).effect).toBe('require_approval');
    expect(await ruling(held(2, digest, now_s(), false), { key_source: 'header' })).toMatchObject({ effect: 'allow' });
  });

  test('a call that joined it and could not be answered gets a new decision, with approval', async () => {
    const key = held(2, digest, now_s());
    const call_id = await rig.request('pay', { idempotency_key: key, discriminating_digest: digest, window_ms: 60_000 });
    const { call } = await rig.seen(call_id, 'policy_decided');
    const rejudged = {
      decision_id: 'd',
      revision: 1,
      config_offset: -1,
      tier: 'tier_2_approval_required' as const,
      rule: 'key.answer_gone',
    };
    const source = { topic: 'policy-decided', offset: 0 };
    const event = { meta: rig.meta(call_id), ...rejudged, reason: 'gone', source, call, because: 'answer_gone' as const };
    await rig.put('tool_call_rejudged', event);
    expect(await rig.seen(call_id, 'approval_requested')).toMatchObject({ revision: 2 });
  });

  test('is refused for other inputs', async () => {
    const reason = { code: 'VALIDATION_ERROR', message: expect.stringMatching(/other inputs/) };
    expect(await ruling(held(2, 'cd'.repeat(32), now_s()))).toMatchObject({ effect: 'deny', reason });
  });

  test('holds nothing once released or past its window, unless its case is open', async () => {
    const by = { kind: 'user' as const, id: 'root', roles: [] };
    await rig.put('case_set', { meta: aMeta(null), case_id: 'k', state: 'open', title: null, by, changed_at_ms: 1 });
    await rig.stop();
    await rig.start();
    expect((await ruling(held(5, digest, now_s()))).effect).toBe('require_approval');
    expect((await ruling(held(2, digest, now_s() - 61))).effect).toBe('require_approval');
    expect((await ruling(held(2, digest, now_s() - 61), { case_id: 'k' })).effect).toBe('allow');
  });
});
