import { contractDigest, type EventMap } from '@countersign/contracts';
import { aMeta } from '@countersign/domain/testing/ruled-partition';
import { ungatedRegistration } from '@countersign/domain/testing/ungated-registration';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PolicyRig, pay } from './testing/policy-rig.js';

let rig: PolicyRig;
beforeEach(async () => {
  rig = await PolicyRig.open();
});
afterEach(() => rig.close());

const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };
const types = async (call_id: string) => (await rig.ofCall(call_id)).map((seen) => seen.event_type);

async function block(state: 'blocked' | 'active'): Promise<void> {
  const entry = { sunset_at_ms: null, reason: null, use_instead: null, by, changed_at_ms: rig.now() };
  await rig.put('tool_lifecycle_set', { meta: aMeta(null), tool: pay.name, version: pay.version, state, ...entry });
}

async function last(call_id: string): Promise<EventMap['policy_decided']> {
  const rulings = (await rig.ofCall(call_id)).filter((seen) => seen.event_type === 'policy_decided');
  return rulings.at(-1)?.event as EventMap['policy_decided'];
}

test('a revoked version denies waiting calls and calls that joined them, by its record alone and once', async () => {
  const first = await rig.request('pay');
  const { idempotency_key } = (await rig.seen(first, 'policy_decided')).call;
  await rig.seen(first, 'approval_requested');
  const joined = await rig.request('pay', { idempotency_key });
  await rig.seen(joined, 'policy_decided');
  await block('blocked');
  for (const call_id of [first, joined]) await rig.seen(call_id, 'approval_denied');
  for (const call_id of [first, joined])
    expect(await last(call_id)).toMatchObject({
      effect: 'deny',
      revision: 2,
      rule: 'lifecycle.blocked',
      reason: { code: 'POLICY_DENIED' },
    });
  const after = await rig.request('pay');
  expect(await rig.seen(after, 'policy_decided')).toMatchObject({ effect: 'deny', rule: 'lifecycle.blocked' });
  await rig.stop();
  rig.store.snapshots.clear();
  await rig.start();
  await block('active');
  const again = await rig.request('pay');
  expect((await rig.seen(again, 'policy_decided')).effect).toBe('require_approval');
  expect((await types(first)).filter((type) => type === 'approval_denied')).toHaveLength(1);
});

test('a contract drift voids the approvals that are bound to the contract', async () => {
  const call_id = await rig.request('pay');
  const { approval_id } = await rig.seen(call_id, 'approval_requested');
  const drifted = { ...pay, description: 'Pays, and tells everybody.' };
  const announced = { contract_json: JSON.stringify(drifted), digest: contractDigest(drifted), lanes: ['shared'], executor_id: 'e1' };
  const { name, version } = pay;
  await rig.put('tool_registered', { meta: aMeta(null), name, version, ...announced, ...ungatedRegistration, registered_at_ms: 1 });
  await rig.seen(call_id, 'approval_denied');
  expect(await last(call_id)).toMatchObject({ effect: 'deny', reason: { code: 'VALIDATION_ERROR' } });
  await rig.vote(approval_id, 'anna', 'approve');
  await rig.until(async () => (await types(call_id)).length >= 4 || (await rig.published('approval-granted')).length >= 2);
  expect(await types(call_id)).not.toContain('approval_granted');
  const fresh = await rig.request('pay', { contract_digest: contractDigest(drifted) });
  expect(await rig.seen(fresh, 'policy_decided')).toMatchObject({
    effect: 'deny',
    rule: 'contract.suspended',
    reason: { code: 'VALIDATION_ERROR' },
  });
});
