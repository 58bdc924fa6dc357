import { NO_CONTEXT } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { answerTo, of, recordingFrom } from '../testing/answer-to.js';
import { TENANT } from '../testing/lived-settings.js';
import { LivedWorld } from '../testing/lived-world.js';
import type { Change } from './change.js';
import { Counterfactual } from './counterfactual.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (text: string): number => Date.parse(`${text}Z`);

/** A weekend of a case: 2026-11-05 is a Thursday. */
function lived() {
  const world = new LivedWorld(at('2026-11-01T00:00'));
  world.tools();
  world.policy('v1', [
    {
      id: 'a-week',
      tools: { names: ['pay'] },
      effect: 'require_approval',
      approval: {
        approver_roles: ['approver'],
        people: [],
        quorum: 1,
        four_eyes: true,
        expires_after_ms: 7 * DAY_MS,
        on_expiry: 'deny',
        escalate_to: [],
        reason_required_on_deny: false,
        reminders_ms: [],
        sla_ms: null,
        grant_max_ms: HOUR_MS,
      },
    },
  ]);
  world.until(at('2026-11-05T09:00'));
  const small = world.request('pay', { total: 900 });
  const large = world.request('pay', { total: 4000 });
  world.until(at('2026-11-06T12:00'));
  const report = world.request('read', { of: small }, { context: { ...NO_CONTEXT, depends_on: [small] } });
  world.until(at('2026-11-07T08:00'));
  world.policy('v2', [
    { id: 'small-only', tools: { names: ['pay'] }, effect: 'deny', when: 'inputs.total > 1000' },
    { id: 'asked', tools: { names: ['pay'] }, effect: 'require_approval' },
  ]);
  world.until(at('2026-11-09T14:00'));
  for (const call_id of [small, large]) world.vote(`${call_id}.1`, 'anna', 'approve');
  world.until(at('2026-11-13T00:00'));
  return { world, small, large, report };
}

test('what if I had approved last Friday? Both calls start 3 days and 4 hours earlier, and the large one before the policy that refused it', () => {
  const { world, small, large, report } = lived();
  const anna = { kind: 'user' as const, id: 'anna', roles: ['approver'] };
  const friday_ms = at('2026-11-06T10:00');
  const votes = world.records.flatMap((record) => (record.event_type === 'approval_voted' ? [record.event] : []));
  const change = votes.map(
    ({ approval_id, vote_id }): Change => ({
      kind: 'vote',
      approval_id,
      vote_id,
      voter: anna,
      vote: 'approve',
      reason: null,
      at_ms: friday_ms,
    }),
  );
  const answer = answerTo(world, change);

  // Recorded: approved on Monday the 9th at 14:00; the policy of Saturday then refused the large one.
  expect(of(answer, small).recorded).toMatchObject({ status: 'succeeded', approval: { end: 'granted' } });
  expect(of(answer, large).recorded).toMatchObject({ status: 'denied', rule: 'small-only', started_at_ms: null });
  expect(of(answer, report).recorded).toMatchObject({ status: 'denied', rule: 'prerequisite.running' });

  // Monday 14:00 − Friday 10:00 = 3 days + 4 hours = 76 h = 273,600,000 ms.
  expect(at('2026-11-09T14:00') - friday_ms).toBe(273_600_000);
  expect(of(answer, small)).toMatchObject({
    differences: ['started_earlier'],
    unknown: [],
    result: { kind: 'recorded_at_another_time', call_id: small },
  });
  expect(Math.abs((of(answer, small).started_earlier_by_ms as number) - 273_600_000)).toBeLessThanOrEqual(10);

  // The large call was refused on Monday. On Friday it would have been allowed and would have run, with an unknown outcome.
  expect(of(answer, large)).toMatchObject({
    counterfactual: { effect: 'require_approval', status: 'running', ended_at_ms: null },
    unknown: [{ what: 'result', why: 'the call never ran' }],
    result: null,
  });
  expect(of(answer, large).differences).toEqual(['approval_added', 'status', 'newly_started']);
  expect(of(answer, large).counterfactual?.started_at_ms).toBeLessThan(friday_ms + 1000);

  // The report of Friday 12:00 waited ten minutes in vain. With the change, the payment was made two hours earlier.
  expect(of(answer, report)).toMatchObject({
    counterfactual: { effect: 'allow' },
    unknown: [{ what: 'result', why: 'the call never ran' }],
  });
});

test('an approval after the expiry of its request is late', () => {
  const { world, small } = lived();
  const vote_id = world.records.flatMap((record) => (record.event_type === 'approval_voted' ? [record.event.vote_id] : []))[0] as string;
  const anna = { kind: 'user' as const, id: 'anna', roles: ['approver'] };
  const late = { kind: 'vote', approval_id: `${small}.1`, vote_id, voter: anna, vote: 'approve', reason: null } as const;
  // Requested on Thursday the 5th at 09:00 for 7 days: expires on the 12th at 09:00.
  const answer = answerTo(world, [{ ...late, at_ms: at('2026-11-12T09:01') }]);
  expect(of(answer, small)).toMatchObject({
    counterfactual: { status: 'expired', approval: { end: 'expired' } },
    differences: ['status', 'never_started'],
  });
  const intime = answerTo(world, [{ ...late, at_ms: at('2026-11-12T08:59') }]);
  expect(of(intime, small)).toMatchObject({ counterfactual: { status: 'succeeded' }, differences: ['started_later'] });
});

test('a limit whose scope exceeds the case counts other calls as recorded', () => {
  const world = new LivedWorld(at('2026-11-01T00:00'));
  world.tool('stage', 'stage');
  world.limit('spend', { kind: 'cumulative', scope: 'agent', amount: 'inputs.total', window_ms: DAY_MS, max: 100 });
  const other = world.request('stage', { total: 60 }, { case_id: 'case-0' });
  world.until(world.now_ms + HOUR_MS);
  const fits = world.request('stage', { total: 40 });
  world.until(world.now_ms + HOUR_MS);
  const over = world.request('stage', { total: 1 });
  world.until(world.now_ms + HOUR_MS);
  const spend = (max: number): Change => ({
    kind: 'limit',
    limit: { ...(world.config.by_tenant.get(TENANT)?.limits?.active[0] as never as Extract<Change, { kind: 'limit' }>['limit']), max },
  });
  const same = answerTo(world, [], [other]);
  expect(same).toMatchObject({
    calls: 2,
    unchanged: 2,
    limits: [{ call_id: over, used_micro: 100_000_000, recorded: true, counterfactual: true }],
  });
  const tight = answerTo(world, [spend(99)], [other]);
  expect(of(tight, fits)).toMatchObject({
    differences: ['newly_denied', 'status', 'never_started'],
    counterfactual: { rule: 'limit.spend' },
  });
  // 60 of 99 are used, so 40 do not fit; with the change 1 fits, but that call never ran.
  expect(of(tight, over)).toMatchObject({ differences: ['newly_allowed', 'status', 'newly_started'], unknown: [{ what: 'result' }] });
});

test('a limit that counts a call with an unknown end leaves the verdict unknown if it decides', () => {
  const world = new LivedWorld(at('2026-11-01T00:00'));
  world.tool('stage', 'stage');
  world.limit('spend', { kind: 'cumulative', scope: 'agent', amount: 'inputs.total', window_ms: DAY_MS, max: 100 });
  world.policy('v1', [{ id: 'no-big', tools: {}, effect: 'deny', when: 'inputs.total == 60' }]);
  const big = world.request('stage', { total: 60 });
  world.until(world.now_ms + HOUR_MS);
  const next = world.request('stage', { total: 50 });
  world.until(world.now_ms + HOUR_MS);
  const answer = answerTo(world, [{ kind: 'policy', bundle: null }]);
  expect(of(answer, big)).toMatchObject({ differences: ['newly_allowed', 'status', 'newly_started'], unknown: [{ what: 'result' }] });
  expect(of(answer, next).unknown).toMatchObject([{ what: 'ruling', why: 'limit spend counts a call whose result is not known' }]);
});

test('calls without records are named, and the others are decided again', () => {
  const { world, small, large, report } = lived();
  world.records.splice(0, world.records.length, ...world.records.filter(({ event }) => event.meta.call_id !== large));
  const recording = recordingFrom(world);
  const question = new Counterfactual(recording, [], [small, large, report]);
  while (question.step());
  expect(question.answer()).toMatchObject({ calls: 2, unchanged: 2, not_on_record: [large] });
});

test('a call with erased inputs keeps its recorded outcome and is unknown', () => {
  const { world, small, large } = lived();
  const answer = answerTo(world, [{ kind: 'policy', bundle: null }], [], [large]);
  expect(of(answer, large)).toMatchObject({ differences: [], unknown: [{ what: 'ruling', why: 'its inputs are erased' }] });
  expect(of(answer, small).unknown).toEqual([]);
});
