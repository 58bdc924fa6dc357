import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { PolicyRig } from './testing/policy-rig.js';

const HOUR_MS = 3_600_000;
const by = { kind: 'user' as const, id: 'root', roles: [] };
let rig: PolicyRig;
afterEach(() => rig.close());

/** Starts policy with a clock that differs from the log's, and a rule with this approval time. */
async function skewed(skew_ms: number, expires_after_ms: number): Promise<void> {
  rig = await PolicyRig.open();
  const row = { tool: 'pay', tier: 'tier_2_approval_required' as const, rule_id: 'short', approver_roles: ['approver'], quorum: 1 };
  await rig.put('tool_policy_set', { meta: rig.globalMeta(), ...row, expires_after_ms, requirement: null, by, changed_at_ms: 1 });
  await rig.stop();
  rig.skew_ms = skew_ms;
  await rig.start();
}

const types = async (call_id: string) => (await rig.ofCall(call_id)).map((seen) => seen.event_type);

describe.each([HOUR_MS, -HOUR_MS])('policy whose clock is off by %d ms', (skew_ms) => {
  test('does not expire a fresh request, and a vote for it counts', async () => {
    await skewed(skew_ms, HOUR_MS / 2);
    const call_id = await rig.request('pay');
    const { approval_id, requested_at_ms } = await rig.seen(call_id, 'approval_requested');
    expect(Math.abs(requested_at_ms - rig.now())).toBeLessThan(10_000);
    await sleep(800);
    expect(await types(call_id)).not.toContain('approval_expired');
    await rig.vote(approval_id, 'ann', 'approve');
    await rig.seen(call_id, 'approval_granted');
  });

  test('expires a request on time by the log, and never revives it', async () => {
    await skewed(skew_ms, 1500);
    const call_id = await rig.request('pay');
    const { approval_id } = await rig.seen(call_id, 'approval_requested');
    await rig.seen(call_id, 'approval_expired');
    await rig.vote(approval_id, 'ann', 'approve');
    await rig.until(async () => (await types(call_id)).includes('approval_vote_refused'));
    expect(await types(call_id)).not.toContain('approval_granted');
  });

  test('another instance with the right clock does not expire the request early', async () => {
    await skewed(skew_ms, HOUR_MS / 2);
    const call_id = await rig.request('pay');
    await rig.seen(call_id, 'approval_requested');
    await rig.stop();
    rig.skew_ms = 0;
    await rig.start();
    await sleep(800);
    expect(await types(call_id)).not.toContain('approval_expired');
  });
});
