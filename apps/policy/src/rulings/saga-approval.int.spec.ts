import { contractDigest, plainRequirement, type SimilarGrant, type ToolCall } from '@countersign/contracts';
import { type PlannedStep, SAGA_APPROVAL } from '@countersign/domain';
import { aMeta } from '@countersign/domain/testing/ruled-partition';
import { ungatedRegistration } from '@countersign/domain/testing/ungated-registration';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LaggingLog } from '../testing/lagging-log.js';
import { PolicyRig, pay } from '../testing/policy-rig.js';

const HOUR_MS = 3_600_000;
const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };
const shown = { ...pay, name: SAGA_APPROVAL.tool, effect_class: 'pure' as const };
const INPUTS = { amount: 7 };

let log: LaggingLog;
let rig: PolicyRig;
beforeEach(async () => {
  rig = await PolicyRig.open((inner) => {
    log = new LaggingLog(inner);
    return log;
  });
  const announced = { contract_json: JSON.stringify(shown), digest: contractDigest(shown), lanes: ['shared'], ...ungatedRegistration };
  const { name, version } = shown;
  await rig.put('tool_registered', { meta: aMeta(null), name, version, ...announced, executor_id: 'e1', registered_at_ms: 2 });
  const requirement = { ...plainRequirement(['approver'], 1, HOUR_MS), saga_max_ms: HOUR_MS };
  const row = { tool: 'pay', tier: 'tier_2_approval_required' as const, rule_id: 'row', approver_roles: ['approver'], quorum: 1 };
  await rig.put('tool_policy_set', { meta: aMeta(null), ...row, expires_after_ms: HOUR_MS, requirement, by, changed_at_ms: 1 });
});
afterEach(() => rig.close());

const step: PlannedStep = {
  ...{ step_id: 'one', level: 0, tool: 'pay', version: '1.0.0', contract_digest: contractDigest(pay), inputs: INPUTS, open_inputs: [] },
  ...{ only_if: [], asks: false, is_irreversible: false, undo: null, covered_by: ['tool.pay'], asks_because: null },
};
const plan = { definition: 'x', version: '1', definition_digest: 'd1', markings: [], steps: [step], unplanned: [] };
const ref = (step_id: string, saga_id = 's1') => ({
  saga: { saga_id, step_id, level: 0, attempt: 1, definition_digest: 'd1', confidence: null, confidence_share: 1 },
});

function requestPlan(): Promise<string> {
  const call: Partial<ToolCall> = { tool: shown.name, effect_class: 'pure', contract_digest: contractDigest(shown) };
  return rig.request('pay', { ...call, inputs_json: JSON.stringify(plan), ...ref(SAGA_APPROVAL.step) });
}
const pays = (more: Partial<ToolCall>) => rig.request('pay', { inputs_json: JSON.stringify(INPUTS), ...more });
const effectOf = async (call_id: string) => (await rig.seen(call_id, 'policy_decided')).effect;

async function granted(call_id: string): Promise<SimilarGrant> {
  const { approval_id } = await rig.seen(call_id, 'approval_requested');
  await rig.vote(approval_id, 'ann', 'approve');
  return (await rig.seen(call_id, 'approval_granted')).similar as SimilarGrant;
}

test('the approval of a plan gives the grant, also after a restart, and the next call of the saga needs no approval', async () => {
  const call_id = await requestPlan();
  const { parts } = await rig.seen(call_id, 'approval_requested');
  expect(parts.map(({ rule, requirement }) => [rule, requirement.saga_max_ms])).toEqual([['tool.pay', HOUR_MS]]);
  await rig.stop();
  await rig.start();
  const grant = await granted(call_id);
  expect(grant.saga).toMatchObject({ saga_id: 's1', definition_digest: 'd1', steps: [{ step_id: 'one', rules: ['tool.pay'] }] });
  // A service that reads late waits for what is on the log before it asks.
  log.lag_ms = 500;
  await rig.put('grant_set', { meta: aMeta(null), grant, revoked: false, by, changed_at_ms: 3 });
  expect(await effectOf(await pays(ref('one')))).toBe('allow');
  expect(await effectOf(await pays(ref('one', 's2')))).toBe('require_approval');
  expect(await effectOf(await pays({}))).toBe('require_approval');
});

test('a grant of another tenant covers nothing', async () => {
  const grant = await granted(await requestPlan());
  await rig.put('tenant_set', {
    meta: { ...aMeta(null), tenant_id: 'other' },
    lane: 'shared',
    weight: 1,
    running_max: 8,
    in_flight_max: 10,
    principal: by,
  });
  await rig.put('grant_set', { meta: { ...aMeta(null), tenant_id: 'other' }, grant, revoked: false, by, changed_at_ms: 3 });
  expect(await effectOf(await pays(ref('one')))).toBe('require_approval');
});

test('a plan that the rules cover no longer is denied', async () => {
  // Started after the change, so that it has certainly read it.
  await rig.stop();
  await rig.put('tool_policy_set', {
    ...{ meta: aMeta(null), tool: 'pay', tier: 'tier_2_approval_required', rule_id: 'row', approver_roles: ['approver'], quorum: 1 },
    ...{ expires_after_ms: HOUR_MS, requirement: plainRequirement(['approver'], 1, HOUR_MS), by, changed_at_ms: 2 },
  });
  await rig.start();
  const { effect, rule } = await rig.seen(await requestPlan(), 'policy_decided');
  expect([effect, rule]).toEqual(['deny', 'saga.plan_outdated']);
});
