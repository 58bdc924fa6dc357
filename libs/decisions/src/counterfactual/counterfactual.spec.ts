import { NO_CONTEXT } from '@countersign/contracts';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TENANT } from '../testing/lived-settings.js';
import { LivedWorld } from '../testing/lived-world.js';
import type { Change } from './change.js';
import type { CallComparison } from './comparison.js';
import { Counterfactual, type CounterfactualAnswer } from './counterfactual.js';
import { RecordedCalls } from './recorded-calls.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (text: string): number => Date.parse(`${text}Z`);

function asked(
  world: LivedWorld,
  changes: readonly Change[],
  as_recorded: readonly string[] = [],
  erased: readonly string[] = [],
): CounterfactualAnswer {
  const calls = RecordedCalls.of(world.records);
  const about = [...calls.ids()].filter((call_id) => !as_recorded.includes(call_id));
  const { configuration } = world;
  const terms = { from_ms: 0, until_ms: world.now_ms, trust: [], erased: new Set(erased), allow_for_ms: 900_000, grant_for_ms: HOUR_MS };
  const question = new Counterfactual(
    { tenant_id: TENANT, calls, configuration, as_recorded: new Set(as_recorded), ...terms },
    changes,
    about,
  );
  while (question.step());
  return question.answer();
}

const of = ({ comparisons }: CounterfactualAnswer, call_id: string): CallComparison =>
  comparisons.find((one) => one.call_id === call_id) as CallComparison;

/** A weekend of a case: 2026-11-05 is a Thursday. */
function lived() {
  const world = new LivedWorld(at('2026-11-01T00:00'));
  for (const [tool, effect_class] of [
    ['pay', 'commit_high'],
    ['read', 'read_internal'],
    ['stage', 'stage'],
  ] as const)
    world.tool(tool, effect_class);
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
  const answer = asked(world, change);

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

  // The large one was refused on Monday; on Friday nothing refused it, so it would have run, and nobody knows to what end.
  expect(of(answer, large)).toMatchObject({
    counterfactual: { effect: 'require_approval', status: 'running', ended_at_ms: null },
    unknown: [{ what: 'result', why: 'the call never ran' }],
    result: null,
  });
  expect(of(answer, large).differences).toEqual(['approval_added', 'status', 'newly_started']);
  expect(of(answer, large).counterfactual?.started_at_ms).toBeLessThan(friday_ms + 1000);

  // The report of Friday 12:00 waited ten minutes in vain; by then the payment had been made two hours before.
  expect(of(answer, report)).toMatchObject({
    counterfactual: { effect: 'allow' },
    unknown: [{ what: 'result', why: 'the call never ran' }],
  });
});

test('an approval that would have come after the question had expired is late', () => {
  const { world, small } = lived();
  const vote_id = world.records.flatMap((record) => (record.event_type === 'approval_voted' ? [record.event.vote_id] : []))[0] as string;
  const anna = { kind: 'user' as const, id: 'anna', roles: ['approver'] };
  const late = { kind: 'vote', approval_id: `${small}.1`, vote_id, voter: anna, vote: 'approve', reason: null } as const;
  // Asked on Thursday the 5th at 09:00 for 7 days: over on the 12th at 09:00.
  const answer = asked(world, [{ ...late, at_ms: at('2026-11-12T09:01') }]);
  expect(of(answer, small)).toMatchObject({
    counterfactual: { status: 'expired', approval: { end: 'expired' } },
    differences: ['status', 'never_started'],
  });
  const intime = asked(world, [{ ...late, at_ms: at('2026-11-12T08:59') }]);
  expect(of(intime, small)).toMatchObject({ counterfactual: { status: 'succeeded' }, differences: ['started_later'] });
});

test('a limit over more than the case counts calls that stand as they were recorded', () => {
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
  const same = asked(world, [], [other]);
  expect(same).toMatchObject({
    calls: 2,
    unchanged: 2,
    limits: [{ call_id: over, used_micro: 100_000_000, recorded: true, counterfactual: true }],
  });
  const tight = asked(world, [spend(99)], [other]);
  expect(of(tight, fits)).toMatchObject({
    differences: ['newly_denied', 'status', 'never_started'],
    counterfactual: { rule: 'limit.spend' },
  });
  // 60 of 99 are taken, 40 do not fit; then 1 does: it never ran.
  expect(of(tight, over)).toMatchObject({ differences: ['newly_allowed', 'status', 'newly_started'], unknown: [{ what: 'result' }] });
});

test('a limit that counts a call with an unknown end leaves the verdict open where it decides', () => {
  const world = new LivedWorld(at('2026-11-01T00:00'));
  world.tool('stage', 'stage');
  world.limit('spend', { kind: 'cumulative', scope: 'agent', amount: 'inputs.total', window_ms: DAY_MS, max: 100 });
  world.policy('v1', [{ id: 'no-big', tools: {}, effect: 'deny', when: 'inputs.total == 60' }]);
  const big = world.request('stage', { total: 60 });
  world.until(world.now_ms + HOUR_MS);
  const next = world.request('stage', { total: 50 });
  world.until(world.now_ms + HOUR_MS);
  const answer = asked(world, [{ kind: 'policy', bundle: null }]);
  expect(of(answer, big)).toMatchObject({ differences: ['newly_allowed', 'status', 'newly_started'], unknown: [{ what: 'result' }] });
  expect(of(answer, next).unknown).toMatchObject([{ what: 'ruling', why: 'limit spend counts a call whose result is not known' }]);
});

test('a call whose inputs are erased stands as it was and is unknown', () => {
  const { world, small, large } = lived();
  const answer = asked(world, [{ kind: 'policy', bundle: null }], [], [large]);
  expect(of(answer, large)).toMatchObject({ differences: [], unknown: [{ what: 'ruling', why: 'its inputs are erased' }] });
  expect(of(answer, small).unknown).toEqual([]);
});

type Step =
  | ['read' | 'stage' | 'pay', number, boolean]
  | ['approve' | 'deny' | 'cancel' | 'wait' | 'limit' | 'policy', number]
  | ['after', number];
const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.tuple(fc.constantFrom('read' as const, 'stage' as const, 'pay' as const), fc.nat(4), fc.boolean()),
  fc.tuple(
    fc.constantFrom('approve' as const, 'deny' as const, 'cancel' as const, 'wait' as const, 'limit' as const, 'policy' as const),
    fc.nat(5),
  ),
  fc.tuple(fc.constant('after' as const), fc.nat(5)),
);

function live(steps: readonly Step[]): LivedWorld {
  const world = new LivedWorld(at('2026-11-01T00:00'));
  for (const [tool, effect_class] of [
    ['pay', 'commit_high'],
    ['read', 'read_internal'],
    ['stage', 'stage'],
  ] as const)
    world.tool(tool, effect_class);
  const calls: string[] = [];
  for (const [kind, n, flag] of steps) {
    const open = world.open();
    if (kind === 'read' || kind === 'stage' || kind === 'pay') calls.push(world.request(kind, { total: n * 10, fails: flag === true }));
    else if (kind === 'after' && calls.length > 0)
      calls.push(
        world.request(
          'stage',
          { total: n, after: calls.length },
          { context: { ...NO_CONTEXT, depends_on: [calls[n % calls.length] as string] } },
        ),
      );
    else if ((kind === 'approve' || kind === 'deny') && open.length > 0) world.vote(open[n % open.length] as string, `anna-${n}`, kind);
    else if (kind === 'cancel' && calls.length > 0) world.cancel(calls[n % calls.length] as string);
    else if (kind === 'limit')
      world.limit(`limit-${n % 2}`, {
        kind: 'cumulative',
        scope: n % 3 === 0 ? 'case' : 'agent',
        amount: 'inputs.total',
        window_ms: HOUR_MS,
        max: n * 20,
        on_exceeded: n % 2 ? 'defer' : 'deny',
      });
    else if (kind === 'policy')
      world.policy(`v${calls.length}-${n}`, [
        {
          id: `r-${n}`,
          tools: {},
          effect: n % 3 === 0 ? 'require_approval' : n % 3 === 1 ? 'deny' : 'allow',
          when: `inputs.total > ${n * 8}`,
        },
      ]);
    else world.until(world.now_ms + [1, 10, 50, 1000, 90_000, 2 * HOUR_MS][n % 6]!);
  }
  if (steps.length % 3 > 0) world.until(world.now_ms + DAY_MS * 2);
  return world;
}

test('whatever has happened: with nothing changed, every call is decided again as it was, or is said to be unknown', () => {
  const seen = { calls: 0, unknown: [] as string[] };
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
      const { comparisons } = asked(live(steps), []);
      expect(comparisons.flatMap(({ differences }) => differences)).toEqual([]);
      seen.calls += comparisons.length;
      for (const { call_id, unknown } of comparisons) seen.unknown.push(...unknown.map(({ why }) => `${call_id}: ${why}`));
    }),
    { numRuns: 120 },
  );
  // One history in some 10,000, where calls that wait for one another are cancelled in the same moment, is not reproduced.
  expect({ often: seen.unknown.length > seen.calls / 100, ...seen }).toMatchObject({ often: false });
});

test('whatever is left out: nothing that never ran is given a result of its own', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 20 }), fc.nat(20), (steps, n) => {
      const world = live(steps);
      const ids = [...RecordedCalls.of(world.records).ids()];
      fc.pre(ids.length > 0);
      const call_id = ids[n % ids.length] as string;
      const { comparisons } = asked(world, [{ kind: 'left_out', call_id }]);
      for (const one of comparisons) {
        const known = one.counterfactual?.status === 'succeeded' || one.counterfactual?.status === 'failed';
        if (known) expect(one.result).not.toBeNull();
        if (one.result?.kind === 'identical_call') expect(one.result.call_id).not.toBe(one.call_id);
      }
      expect(comparisons.find((one) => one.call_id === call_id)).toMatchObject({ counterfactual: null, differences: ['left_out'] });
    }),
    { numRuns: 60 },
  );
});
