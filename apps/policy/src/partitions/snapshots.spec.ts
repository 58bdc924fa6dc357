import { openParts, type RulingState, standingsOf } from '@countersign/domain';
import { aCall, aMeta, asks, person, RuledPartition } from '@countersign/domain/testing/ruled-partition';
import { expect, test } from 'vitest';
import { loadSnapshot } from './snapshots.js';

/** A snapshot from before requests had parts. */
function snapshotBeforeParts(): string {
  const requirement = {
    approver_roles: ['approver'],
    people: [],
    quorum: 2,
    four_eyes: true,
    expires_after_ms: 9000,
    on_expiry: 'deny',
    escalate_to: [],
    reason_required_on_deny: false,
    reminders_ms: [],
    sla_ms: null,
    grant_max_ms: 0,
  };
  const vote = { vote_id: 'v', voter_id: 'ann', vote: 'approve', voted_at_ms: 1, on_behalf_of: null, to: null, grant: null };
  const times = { requested_at_ms: 1000, expires_at_ms: 10_000, reminded_ms: 0, sla_missed: false, execute_before_ms: 0 };
  const group = { level: 0, approver_roles: ['approver'], people: [], quorum: 2 };
  const named = { approval_id: 'c1.1', status: 'open', ruling_digest: 'd', tier: asks.tier, rule: 'two', barred: ['robot'] };
  const members = [{ meta: aMeta('c1'), decision_id: 'c1.1', revision: 1, call: aCall() }];
  const approval = { ...named, requirement, ...group, ...times, members, votes: [vote], passed: [], fired: false, also: null };
  return JSON.stringify({ hlc: 1, approvals: [approval], allowed: [] });
}

test('a snapshot from before parts is read as requests with one part, with its votes', async () => {
  const offsets = JSON.stringify({ inputs: {}, outputs: {} });
  const rows = { load: () => Promise.resolve({ body: snapshotBeforeParts(), offsets }), save: () => Promise.resolve() };
  const snapshot = await loadSnapshot(rows, 'shared', 0);
  const state = snapshot?.state as RulingState;
  const approval = [...state.approvals.values()][0] as NonNullable<ReturnType<typeof state.approvals.get>>;
  expect(standingsOf(approval)).toEqual([{ rule: 'two', approvals: 1, quorum: 2 }]);
  expect(openParts(approval)[0]).toMatchObject({ rule: 'two', expires_at_ms: 10_000, requested_at_ms: 1000 });
  const policy = new RuledPartition();
  policy.state.approvals.set('c1.1', approval);
  policy.state.approval_of_call.set('c1', 'c1.1');
  expect(policy.vote('c1.1', person('ann'), 'approve')).toEqual(['approval_vote_refused']);
  expect(policy.vote('c1.1', person('bob'), 'approve')).toEqual(['approval_granted']);
});
