import { callId, type EventMap, type Outcome, uuidv7 } from '@countersign/contracts';
import { aMeta } from '@countersign/domain/testing/ruled-partition';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PolicyRig } from './testing/policy-rig.js';
import { rulingHash } from './testing/ruling-hash.js';

let rig: PolicyRig;
beforeEach(async () => {
  rig = await PolicyRig.open();
});
afterEach(() => rig.close());

const outcome: Outcome = {
  status: 'succeeded',
  output_json: '{}',
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
};

async function ends(call_id: string, idempotency_key: string): Promise<void> {
  const source = { topic: 'policy-decided', offset: 0 };
  const ended = { idempotency_key, tool: 'note', version: '1.0.0', epoch: 1, decision_id: 'd', revision: 1, outcome, source, also: null };
  await rig.put('tool_executed', { meta: rig.meta(call_id), ...ended });
}

async function cancel(call_id: string): Promise<void> {
  const principal = { kind: 'agent' as const, id: 'robot', roles: ['agent'] };
  await rig.put('tool_call_cancel_requested', { meta: rig.meta(call_id), principal, reason: 'no', requested_at_ms: 1 });
}

const types = async (call_id: string) => (await rig.ofCall(call_id)).map((seen) => seen.event_type);

describe('a decision', () => {
  test('is written once for a call that needs no approval, without SQL', async () => {
    const call_id = await rig.request('note');
    expect(await rig.seen(call_id, 'policy_decided')).toMatchObject({
      effect: 'allow',
      tier: 'tier_1_auto',
      rule: 'default.stage',
      revision: 1,
      config_offset: 0,
      source: { topic: 'tool-call-requested', offset: 0 },
    });
    expect(rig.store.queryNames).not.toContain('rows_of_keys');
  });

  test('is not repeated after a restart, nor for a repeated request', async () => {
    const calls = await Promise.all(
      Array.from({ length: 300 }, (_, i) => rig.request(i % 3 ? 'note' : 'pay', {}, callId(i % 2, uuidv7(rig.now())))),
    );
    const first = calls[0] as string;
    const decided = async () => (await Promise.all([0, 1].map((partition) => rig.published('policy-decided', partition)))).flat();
    await rig.until(async () => (await decided()).length === 400);
    await rig.stop();
    rig.store.snapshots.clear();
    await rig.start();
    await rig.request('pay', {}, first);
    const last = await rig.request('note');
    await rig.seen(last, 'policy_decided');
    expect(await types(first)).toEqual(['policy_decided', 'approval_requested']);
    expect((await decided()).filter((seen) => seen.event_type === 'policy_decided')).toHaveLength(301);
  });

  test('denies an unknown tool, another contract, an unknown tenant and a closed case', async () => {
    const by = { kind: 'user' as const, id: 'root', roles: [] };
    await rig.put('case_set', { meta: aMeta(null), case_id: 'k', state: 'closed', title: null, by, changed_at_ms: 1 });
    const unknown = await rig.request('pay', { tool: 'steal' });
    const drifted = await rig.request('pay', { contract_digest: 'other' });
    const closed = await rig.request('note', { case_id: 'k' });
    const foreign = callId(0, uuidv7(rig.now()));
    await rig.put('tool_call_requested', { meta: { ...rig.meta(foreign), tenant_id: 'nobody' }, call: rig.call('note') });
    const denials = await Promise.all([unknown, drifted, closed, foreign].map((id) => rig.seen(id, 'policy_decided')));
    expect(denials.map(({ effect, rule, reason }) => [effect, rule, reason?.code])).toEqual([
      ['deny', 'tool.unknown', 'VALIDATION_ERROR'],
      ['deny', 'tool.changed', 'VALIDATION_ERROR'],
      ['deny', 'case.closed', 'POLICY_DENIED'],
      ['deny', 'tenant.unknown', 'POLICY_DENIED'],
    ]);
  });

  test('waits for the store if it needs it, and is then made', async () => {
    rig.store.fault = Object.assign(new Error('the store is unavailable'), { countersign_fault: 'infrastructure' });
    const call_id = await rig.request('pay');
    await rig.until(() => rig.store.queryNames.filter((name) => name === 'store_pulse').length >= 2);
    expect(await types(call_id)).toEqual([]);
    rig.store.fault = undefined;
    expect((await rig.seen(call_id, 'policy_decided')).effect).toBe('require_approval');
  });
});

describe('a record that cannot be handled', () => {
  test('is denied if its meta can be read, and does not block other records', async () => {
    const [cut, garbled] = [callId(0, uuidv7(rig.now())), callId(0, uuidv7(rig.now()))];
    const whole = rig.codec.encode('tool_call_requested', { meta: rig.meta(cut), call: rig.call('note') });
    const headers = { event_type: 'tool_call_requested' };
    const record = { topic: 'tool-call-requested', partition: 0, key: 'k', headers };
    const foreign = rig.codec.encode('tool_call_requested', { meta: { ...rig.meta(garbled), call_id: '1-x' }, call: rig.call('note') });
    await rig.log.append([
      { ...record, value: whole.subarray(0, whole.length - 20) },
      { ...record, value: foreign.subarray(0, foreign.length - 20) },
      { ...record, value: Buffer.from('nonsense') },
    ]);
    const next = await rig.request('note');
    await rig.seen(next, 'policy_decided');
    expect(await rig.seen(cut, 'policy_decided')).toMatchObject({
      effect: 'deny',
      rule: 'record.poison',
      reason: { code: 'VALIDATION_ERROR' },
    });
    expect(await rig.log.head('dead-letter', 0)).toBe(3);
    await rig.stop();
    await rig.start();
    expect(await rig.log.head('dead-letter', 0)).toBe(3);
    await rig.stop();
    rig.store.snapshots.clear();
    await rig.start();
    expect(await types(cut)).toEqual(['policy_decided']);
    expect(await rig.published('policy-decided')).toHaveLength(2);
  });
});

/** A vote as it may be on the log, whoever wrote it. */
const voteOf = (call_id: string, approval_id: string, id: string): EventMap['approval_voted'] => ({
  meta: rig.meta(call_id),
  approval_id,
  vote_id: `vote-of-${id}`,
  vote: 'approve',
  voter: { kind: 'user', id, roles: ['approver', 'admin'] },
  voter_issuer: 'local',
  voted_at_ms: rig.now(),
  reason: null,
  inputs_json: null,
  inputs_digest: null,
  to: null,
  edited: null,
  grant: null,
});

describe('an approval request', () => {
  test('grants the waiting call, across a restart', async () => {
    const call_id = await rig.request('pay');
    const { approval_id } = await rig.seen(call_id, 'approval_requested');
    await rig.stop();
    await rig.start();
    await rig.vote(approval_id, 'ann', 'approve');
    expect(await rig.seen(call_id, 'approval_granted')).toMatchObject({ approval_id, votes: [{ voter_id: 'ann' }], revision: 1 });
    await rig.vote(approval_id, 'bob', 'deny');
    expect((await rig.seen(call_id, 'approval_vote_refused')).reason).toMatch(/already granted/);
  });

  test('counts votes from before a restart, from its own output and without a snapshot', async () => {
    const by = { kind: 'user' as const, id: 'root', roles: [] };
    const row = { tool: 'pay', tier: 'tier_2_approval_required' as const, rule_id: 'two', approver_roles: ['approver'], quorum: 2 };
    await rig.put('tool_policy_set', { meta: aMeta(null), ...row, expires_after_ms: null, requirement: null, by, changed_at_ms: 1 });
    await rig.stop();
    await rig.start();
    const call_id = await rig.request('pay');
    const { approval_id } = await rig.seen(call_id, 'approval_requested');
    await rig.vote(approval_id, 'ann', 'approve');
    await rig.seen(call_id, 'approval_vote_counted');
    await rig.stop();
    rig.store.snapshots.clear();
    await rig.start();
    await rig.vote(approval_id, 'ann', 'approve');
    expect((await rig.seen(call_id, 'approval_vote_refused')).reason).toMatch(/a different person/);
    await rig.vote(approval_id, 'bob', 'approve');
    expect((await rig.seen(call_id, 'approval_granted')).votes.map((vote) => vote.voter_id)).toEqual(['ann', 'bob']);
  });

  test('ignores votes of a person without a valid key, whatever the vote contains and whenever policy reads it', async () => {
    const requested = [await rig.request('pay'), await rig.request('pay')];
    const [first, second] = await Promise.all(requested.map((call_id) => rig.seen(call_id, 'approval_requested')));
    await rig.put('approval_voted', voteOf(requested[0] as string, first?.approval_id as string, 'nobody'), 0);
    expect((await rig.seen(requested[0] as string, 'approval_vote_refused')).code).toBe('not_live');
    const key_id = await rig.person({ kind: 'user', id: 'carl', roles: ['approver'] });
    await rig.stop();
    await rig.revoke(key_id);
    await rig.put('approval_voted', voteOf(requested[1] as string, second?.approval_id as string, 'carl'), 0);
    await rig.start();
    expect((await rig.seen(requested[1] as string, 'approval_vote_refused')).code).toBe('not_live');
    await rig.stop();
    rig.store.snapshots.clear();
    await rig.start();
    await rig.vote(second?.approval_id as string, 'dora', 'approve');
    expect((await rig.seen(requested[1] as string, 'approval_granted')).votes.map(({ voter_id }) => voter_id)).toEqual(['dora']);
  });

  test('expires at its deadline, also while policy was unavailable, and is never granted by time', async () => {
    const waiting = await rig.request('pay');
    const joined = await rig.request('pay', { idempotency_key: (await rig.seen(waiting, 'policy_decided')).call.idempotency_key });
    expect(await rig.seen(joined, 'policy_decided')).toMatchObject({ joined_call_id: waiting, effect: 'require_approval' });
    rig.ahead_ms = 25 * 3_600_000;
    const ends = [await rig.seen(waiting, 'approval_expired'), await rig.seen(joined, 'approval_expired')];
    expect(ends.map(({ meta }) => meta.cause_hash)).toEqual(Array(2).fill(await rulingHash(rig, waiting)));
    const other = await rig.request('pay');
    const otherRuling = await rulingHash(rig, other);
    await rig.stop();
    rig.ahead_ms *= 2;
    await rig.start();
    expect((await rig.seen(other, 'approval_expired')).meta.cause_hash).toBe(otherRuling);
    expect(await types(other)).toEqual(['policy_decided', 'approval_requested', 'approval_expired']);
  });

  test('a vote that was on the log in time counts, even if policy was unavailable until later', async () => {
    const call_id = await rig.request('pay');
    const { approval_id } = await rig.seen(call_id, 'approval_requested');
    await rig.stop();
    await rig.vote(approval_id, 'ann', 'approve');
    rig.ahead_ms = 25 * 3_600_000;
    await rig.start();
    await rig.seen(call_id, 'approval_granted');
    expect(await types(call_id)).not.toContain('approval_expired');
  });
});

describe('a cancellation', () => {
  test('ends a waiting call, leaves an allowed one to the executor, and ignores an ended one', async () => {
    const waiting = await rig.request('pay');
    const allowed = await rig.request('note');
    const ended = await rig.request('note');
    const { call } = await rig.seen(ended, 'policy_decided');
    await ends(ended, call.idempotency_key);
    await rig.stop();
    await rig.start();
    await Promise.all([cancel(waiting), cancel(allowed), cancel(ended)]);
    expect((await rig.seen(waiting, 'call_cancelled')).final).toBe(true);
    expect((await rig.seen(allowed, 'call_cancelled')).final).toBe(false);
    const last = await rig.request('note');
    await rig.seen(last, 'policy_decided');
    expect(await types(ended)).toEqual(['policy_decided']);
  });
});

test('a call that the executor refused to run gets a new revision under the configuration that the executor saw', async () => {
  const call_id = await rig.request('note');
  const { call } = await rig.seen(call_id, 'policy_decided');
  const by = { kind: 'user' as const, id: 'root', roles: [] };
  const row = {
    tool: 'note',
    rule_id: 'ask',
    approver_roles: [],
    quorum: 1,
    expires_after_ms: null,
    requirement: null,
    by,
    changed_at_ms: 1,
  };
  const config_offset = await rig.put('tool_policy_set', { meta: aMeta(null), tier: 'tier_2_approval_required', ...row });
  const refused = {
    decision_id: 'd',
    revision: 1,
    config_offset,
    tier: 'tier_2_approval_required' as const,
    rule: 'ask',
    reason: 'stricter',
    because: 'stricter' as const,
  };
  const source = { topic: 'policy-decided', offset: 0 };
  await rig.put('tool_call_rejudged', { meta: rig.meta(call_id), ...refused, source, call });
  expect(await rig.seen(call_id, 'approval_requested')).toMatchObject({ revision: 2, approval_id: `${call_id}.2` });
  await rig.stop();
  rig.store.snapshots.clear();
  await rig.start();
  await rig.vote(`${call_id}.2`, 'ann', 'approve');
  expect(await rig.seen(call_id, 'approval_granted')).toMatchObject({ revision: 2 });
  expect(await types(call_id)).toEqual(['policy_decided', 'policy_decided', 'approval_requested', 'approval_granted']);
});

test('approval races: of 20 voters, cancellations and the deadline at once, one end wins, 50 times (F16)', async () => {
  for (let round = 0; round < 50; round++) {
    const call_id = await rig.request('pay', { deadline_ms: rig.now() + 20_000 });
    const { approval_id } = await rig.seen(call_id, 'approval_requested');
    const clients = Array.from({ length: 20 }, (_, i) => {
      if (i % 7 === 6) return cancel(call_id);
      return rig.vote(approval_id, `voter-${i}`, i % 2 ? 'approve' : 'deny');
    });
    if (round % 3 === 0) rig.ahead_ms += 20_000;
    await Promise.all(clients);
    await rig.until(async () => (await types(call_id)).filter((type) => END.includes(type)).length > 0);
  }
  const last = await rig.request('note');
  await rig.seen(last, 'policy_decided');
  const endsOf = new Map<string, number>();
  for (const { event_type, event } of await rig.published('approval-granted')) {
    if (!END.includes(event_type) || (event_type === 'call_cancelled' && !event.final)) continue;
    const call_id = event.meta.call_id as string;
    endsOf.set(call_id, (endsOf.get(call_id) ?? 0) + 1);
  }
  expect([...endsOf.values()]).toEqual(Array(50).fill(1));
});

const END: readonly string[] = ['approval_granted', 'approval_denied', 'approval_expired', 'call_cancelled'];
