import { sampleCall } from '@countersign/calls/testing/samples';
import { type ApiKey, type ConfigurationState, initialConfiguration, tenantPart } from '@countersign/domain';
import type { ApprovalRow, PartRow, VoteRow } from '@countersign/store';
import { expect, test } from 'vitest';
import { askedParts } from './asked-parts.js';
import { requestedBy } from './requester.js';
import { ruleWords } from './rule-words.js';
import { trustOf } from './trust-facts.js';
import { undoTerms } from './undo-terms.js';

const NOW = 1_000_000;

function keyOf(id: string, roles: string[], more: Partial<ApiKey> = {}, kind: 'user' | 'agent' = 'user'): ApiKey {
  return { tenant_id: 'acme', principal: { kind, id, roles }, revoked_at_ms: null, expires_at_ms: null, owner: null, ...more } as ApiKey;
}

function configured(keys: readonly ApiKey[]): ConfigurationState {
  const state = initialConfiguration();
  keys.forEach((key, n) => void state.keys_by_id.set(String(n), key));
  return state;
}

const part = (more: Partial<PartRow> = {}): PartRow => ({
  rule: 'ask',
  level: 0,
  approver_roles: ['approver'],
  people: [],
  approvals: 0,
  quorum: 1,
  met: false,
  four_eyes: true,
  requested_at_ms: 0,
  expires_at_ms: NOW + 5000,
  shortfall: null,
  next: null,
  ...more,
});
const vote = (voter_id: string, more: Partial<VoteRow> = {}) =>
  ({ voter_id, vote: 'approve', verdict: 'counted', voted_at_ms: 5, in_parts: [], ...more }) as unknown as VoteRow;

function asked(
  state: ConfigurationState,
  parts: PartRow[],
  { votes = [] as VoteRow[], barred = [] as string[], call = sampleCall() } = {},
) {
  const row = { status: 'pending', parts, votes, requested_at_ms: 3, requirement: { barred, evidence: null, edit: null } };
  const by = requestedBy(state, 'acme', call);
  return askedParts(state, { row: row as unknown as ApprovalRow, by, tenant_id: 'acme', now_ms: NOW });
}

test('people with a usable key and a role or a name can decide; the others cannot', () => {
  const state = configured([
    keyOf('ann', ['approver']),
    keyOf('bob', ['auditor']),
    keyOf('cleo', ['approver'], { revoked_at_ms: 1 }),
    keyOf('dan', ['approver'], { expires_at_ms: NOW }),
    keyOf('eve', ['approver'], { tenant_id: 'rival' }),
    keyOf('machine', ['approver'], {}, 'agent'),
  ]);
  expect(asked(state, [part()])[0]).toMatchObject({ can_decide: ['ann'], can_decide_more: false, missing: 1, time_left_ms: 5000 });
  expect(asked(state, [part({ people: ['bob'] })])[0]?.can_decide).toEqual(['ann', 'bob']);
});

test('four eyes bar the caller, the owner of the agent and the user that it acts for, and say why', () => {
  const state = configured([
    keyOf('ann', ['approver']),
    keyOf('olivia', ['approver']),
    keyOf('bot', ['agent'], { owner: 'olivia' }, 'agent'),
  ]);
  const call = sampleCall({ authority: { on_behalf_of: { kind: 'user', id: 'ann', roles: [] } } as never });
  const [one] = asked(state, [part()], { barred: ['olivia', 'ann', 'gone'], call });
  expect(one?.can_decide).toEqual([]);
  expect(one?.barred.map(({ id, because }) => [id, because])).toEqual([
    ['bot', 'requester'],
    ['olivia', 'owner'],
    ['ann', 'on_behalf_of'],
    ['gone', 'at_request'],
  ]);
  expect(asked(state, [part({ four_eyes: false })], { barred: ['olivia'] })[0]).toMatchObject({
    can_decide: ['ann', 'olivia'],
    barred: [],
  });
  expect(requestedBy(state, 'acme', call).text).toBe('Agent bot of olivia, on behalf of ann');
});

test('a vote counts in its parts only, a revoked or refused one in none', () => {
  const state = configured([keyOf('ann', ['approver']), keyOf('bob', ['approver'])]);
  const parts = [part({ quorum: 2, approvals: 1 }), part({ rule: 'other' })];
  const votes = [vote('ann', { in_parts: [{ rule: 'ask', on_behalf_of: 'cleo' }] }), vote('bob', { verdict: 'refused' })];
  const [first, second] = asked(state, parts, { votes });
  expect(first).toMatchObject({ missing: 1, can_decide: ['bob'], voted: [{ voter_id: 'ann', on_behalf_of: 'cleo' }] });
  expect(second).toMatchObject({ voted: [], can_decide: ['ann', 'bob'] });
  expect(asked(state, [part()], { votes: [vote('ann'), vote('ann', { vote: 'revoke' })] })[0]?.voted).toEqual([]);
});

test('what follows the time of a group is an escalation or a denial; people of a provider are not all known', () => {
  const state = configured([]);
  const next = { approver_roles: ['boss'], people: [] };
  expect(asked(state, [part({ next })])[0]?.afterwards).toEqual({ kind: 'escalate', ...next });
  expect(asked(state, [part()])[0]?.afterwards.kind).toBe('deny');
  tenantPart(state, 'acme').identity_providers.set('idp', { kind: 'user' } as never);
  expect(asked(state, [part()])[0]?.can_decide_more).toBe(true);
});

test('a rule is in the words of the policy that decided, inert; without a description it says what it is', () => {
  const state = configured([]);
  const bundle_json = JSON.stringify({ rules: [{ id: 'big', description: 'Big <b>payments</b>\u202e' }, { id: 'plain' }] });
  tenantPart(state, 'acme').bundles.versions.set('7', { bundle_json } as never);
  const words = (rule: string | null, bundle_version = '7') => ruleWords(state, 'acme', { rule, bundle_version });
  expect(words('big')).toEqual({ text: 'Big \\u{3c}b\\u{3e}payments\\u{3c}/b\\u{3e}\\u{202e}', described: true });
  expect(words('big', '6').described).toBe(false);
  expect(words('plain').text).toBe('Rule plain requires approval; it has no description');
  expect(words('tool.pay').text).toBe('The policy of the tool pay requires approval');
  expect(words('default.commit_high').text).toContain('effect class commit_high');
  expect(ruleWords(state, 'rival', { rule: 'big', bundle_version: '7' }).described).toBe(false);
  expect(words(null).text).toBe('Policy requires approval');
});

test('an effect can be undone within the time of the tool, without a limit, or not at all', () => {
  const tool = { name: 'pay', reversibility: 'reversible' as const, has_compensate: true };
  expect(undoTerms({ ...tool, undo_within_ms: 86_400_000 * 14 }, null)).toMatchObject({ possible: true, by_tool: 'pay', until: null });
  expect(undoTerms({ ...tool, undo_within_ms: 60_000 }, 1000).until).toBe('1970-01-01T00:01:01.000Z');
  expect(undoTerms(tool, null).text).toContain('without a time limit');
  expect(undoTerms({ ...tool, has_compensate: false }, null)).toMatchObject({ possible: false, by_tool: null });
  expect(undoTerms({ ...tool, reversibility: 'irreversible' }, null).text).toContain('irreversible');
});

test('trust has a score with its runs, or says that there is none', () => {
  expect(trustOf({ score: 0.5, reported: 0.5, band: 'medium', runs: 3, at_ms: 1 }, '/t')).toMatchObject({
    text: '0.50 (medium) after 3 runs',
  });
  expect(trustOf(undefined, '/t')).toMatchObject({ score: null, band: 'unknown', text: expect.stringContaining('No score') });
});
