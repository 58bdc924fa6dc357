import { type EventMap, sha256Hex } from '@countersign/contracts';
import { aMeta } from '@countersign/domain/testing/ruled-partition';
import { createLogger } from '@countersign/process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PolicyRig } from './testing/policy-rig.js';

let rig: PolicyRig;
beforeEach(async () => {
  rig = await PolicyRig.open();
  await rig.stop();
});
afterEach(() => rig.close());

const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };
type Line = Record<string, unknown>;

/** The warnings that policy logs at its start. */
async function warned(): Promise<Line[]> {
  const lines: Line[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Line);
  rig.logger = createLogger('policy', 'warn', { write });
  await rig.start();
  await rig.stop();
  return lines.filter(({ event }) => event === 'policy_decisions_changed' || event === 'grants_void');
}

const asking = (id: string) => ({ id, tools: { names: ['pay'] }, effect: 'require_approval' });

async function inForce(version: string, rules: object[], semantics: number): Promise<void> {
  const bundle_json = JSON.stringify({ rules });
  const bundle = { version, bundle_json, digest: sha256Hex(bundle_json), semantics, simulation_digest: null, published_at_ms: 1 };
  await rig.put('policy_bundle_published', { meta: aMeta(null), by, ...bundle });
  await rig.put('policy_bundle_activated', { meta: aMeta(null), by, version, shadow_version: null, activated_at_ms: 1 });
}

async function grant(grant_id: string, more: Partial<EventMap['grant_set']['grant']> = {}, revoked = false): Promise<void> {
  const on = { tool: 'pay', version: '1.0.0', contract_digest: 'd', principal_id: 'bot', rule: 'r', mapping_version: null };
  const of = { scope: 'tool' as const, case_id: null, run_id: null, approval_id: 'a', granted_by: ['anna'] };
  const kept = { grant_id, ...on, ...of, from_ms: 1, expires_at_ms: Date.now() + 3_600_000, rules: [], inputs: null, uses: 1, ...more };
  await rig.put('grant_set', { meta: aMeta(null), grant: kept, revoked, by, changed_at_ms: 1 });
}

test('a start reports which tools a bundle from before parts decides differently, and why', async () => {
  const allow = { id: 'yes', tools: { names: ['pay'] }, effect: 'allow' };
  await inForce('old', [asking('large'), asking('mismatch'), allow], 1);
  const row = { tool: 'pay', tier: 'tier_2_approval_required' as const, rule_id: 'row', approver_roles: ['approver'], quorum: 1 };
  await rig.put('tool_policy_set', { meta: aMeta(null), by, ...row, expires_after_ms: null, requirement: null, changed_at_ms: 1 });
  const line = { level: 40, event: 'policy_decisions_changed', tenant_id: aMeta(null).tenant_id, bundle_version: 'old', tool: 'pay' };
  expect(await warned()).toMatchObject([
    {
      ...line,
      why: expect.stringContaining('large, mismatch, tool.pay apply together'),
      msg: expect.stringContaining('policy old decides on pay differently'),
    },
    { ...line, why: expect.stringContaining('an allow rule lowers it only with overrides: ["tool.pay"]') },
  ]);
});

test('a bundle that was published with parts, or is not active, is not listed', async () => {
  await inForce('old', [asking('large'), asking('mismatch')], 1);
  await inForce('new', [asking('large'), asking('mismatch')], 2);
  expect(await warned()).toEqual([]);
});

test('a start counts grants that no longer cover any call, and only those that may still be used', async () => {
  await grant('old-1');
  await grant('old-2');
  await grant('named', { rules: ['r'], inputs: { equal_digest: 'e', amounts: [] } });
  await grant('ended', { expires_at_ms: Date.now() - 1000 });
  await grant('revoked', {}, true);
  const line = {
    level: 40,
    event: 'grants_void',
    tenant_id: aMeta(null).tenant_id,
    grants: 2,
    msg: expect.stringContaining('approve again'),
  };
  expect(await warned()).toMatchObject([line]);
});
