import type { ApprovalRequirement, EventMap, EventType, ToolCall } from '@countersign/contracts';
import { catalogued, type PlannedStep, requirementOf, SAGA_APPROVAL, sagaGrant } from '@countersign/domain';
import { beforeEach, describe, expect, test } from 'vitest';
import { coverageOf } from './saga-coverage.js';
import { TenantRulings } from './tenant-rulings.js';
import { TENANT } from './testing/lived-settings.js';
import { LivedWorld } from './testing/lived-world.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const INPUTS = {
  type: 'object',
  properties: { amount: { type: 'number', 'x-grant': 'amount' }, to: { type: 'string' }, memo: { type: 'string', 'x-grant': 'free' } },
};
const plain = requirementOf({ approver_roles: ['approver'], quorum: 1, expires_after_ms: HOUR_MS });
const asking = (id: string, approval: Partial<ApprovalRequirement> = {}, when = 'true', tools: object = { names: ['pay'] }) => ({
  id,
  tools,
  when,
  effect: 'require_approval',
  approval: { ...plain, ...approval },
});
const covering = (more: Partial<ApprovalRequirement> = {}) => asking('ask', { saga_max_ms: HOUR_MS, ...more });
const PAID = { amount: 100, to: 'a' };

let world: LivedWorld;
beforeEach(() => {
  world = new LivedWorld(Date.parse('2026-11-02T09:00Z'));
  world.tool('pay', 'commit_high', INPUTS);
  world.tool(SAGA_APPROVAL.tool, 'pure');
  world.policy('1', [covering()]);
});

const eventsOf = <T extends EventType>(call_id: string, type: T): EventMap[T][] =>
  world.records.flatMap((record) =>
    record.event.meta.call_id === call_id && record.event_type === type ? [record.event as EventMap[T]] : [],
  );
const ran = (call_id: string): boolean => {
  world.until(world.now_ms + MINUTE_MS);
  return eventsOf(call_id, 'tool_executed').length > 0;
};
const reasonOf = (call_id: string) => eventsOf(call_id, 'policy_decided')[0]?.reason?.details_json ?? '';

function planned(more: Partial<PlannedStep> = {}): PlannedStep {
  const contract_digest = catalogued(world.config, TENANT, 'pay', '1.0.0')?.digest ?? '';
  const what = { tool: 'pay', version: '1.0.0', contract_digest, inputs: PAID, open_inputs: [], only_if: [] };
  const rest = { asks: false, is_irreversible: false, undo: null, covered_by: ['ask'], asks_because: null };
  return { step_id: 'one', level: 0, ...what, ...rest, ...more };
}

const ref = (step_id: string, more: Partial<NonNullable<ToolCall['saga']>> = {}) => ({
  saga: { saga_id: 's1', step_id, level: 0, attempt: 1, definition_digest: 'd1', confidence: null, confidence_share: 1, ...more },
});
const plan = (...steps: PlannedStep[]) => ({ definition: 'x', version: '1', definition_digest: 'd1', markings: [], steps, unplanned: [] });
const requestPlan = (...steps: PlannedStep[]) => world.request(SAGA_APPROVAL.tool, plan(...steps), ref(SAGA_APPROVAL.step));

/** Approves a plan of these steps, and puts the grant into force as the gateway does. */
function approved(...steps: PlannedStep[]): string {
  const call_id = requestPlan(...steps);
  world.vote(`${call_id}.1`, 'ann', 'approve');
  const { similar } = eventsOf(call_id, 'approval_granted')[0] as EventMap['approval_granted'];
  world.set('grant_set', { grant: similar, revoked: false });
  return call_id;
}

const pay = (inputs: object = PAID, more: Partial<ToolCall> = {}) => world.request('pay', inputs, { ...ref('one'), ...more });

describe('given an approved plan of one payment', () => {
  beforeEach(() => approved(planned()));

  test('then the step runs without approval, and its ruling names the grant', () => {
    const call_id = pay();
    expect(ran(call_id)).toBe(true);
    expect(eventsOf(call_id, 'policy_decided')[0]?.rule).toMatch(/^grant\/.*\.saga$/);
  });

  test('then nothing else runs: other inputs, step, level, saga, definition, version, contract, starter, or no saga at all', () => {
    const others = [
      pay({ ...PAID, amount: 99 }),
      pay({ ...PAID, to: 'b' }),
      pay({ ...PAID, memo: 'x' }),
      pay(PAID, ref('two')),
      pay(PAID, ref('one[0]')),
      pay(PAID, ref('one', { level: 1 })),
      pay(PAID, ref('one', { saga_id: 's2' })),
      pay(PAID, ref('one', { definition_digest: 'd2' })),
      pay(PAID, ref('one', { definition_digest: null })),
      pay(PAID, { principal: { kind: 'agent', id: 'other', roles: ['agent'] } }),
      world.request('pay', PAID),
    ];
    expect(others.map(ran)).toEqual(others.map(() => false));
  });

  test('then a step that asks for every call, or with a mapped or encrypted form, asks', () => {
    const mapped = { mapping_version: 1, inputs_json: '{}', inputs_digest: '' } as unknown as ToolCall['mapped'];
    const others: Partial<ToolCall>[] = [{ mapped }, { sealed: {} as ToolCall['sealed'] }];
    expect(others.map((more) => ran(pay(PAID, more)))).toEqual([false, false]);
    const context = { ...(eventsOf(pay(), 'tool_call_requested')[0] as EventMap['tool_call_requested']).call.context };
    expect(ran(pay({ ...PAID }, { context: { ...context, safety_mode: 'ask_all' }, case_id: 'c2' }))).toBe(false);
  });

  test('then it asks after the time that the rule gives, and a ruling does not outlive that time', () => {
    const call_id = pay();
    const { execute_before_ms } = eventsOf(call_id, 'policy_decided')[0] as EventMap['policy_decided'];
    const grant = sagaGrant(world.config, TENANT, 's1')?.grant;
    expect(grant?.expires_at_ms).toBe((grant?.from_ms ?? 0) + HOUR_MS);
    world.until((grant?.expires_at_ms ?? 0) - MINUTE_MS);
    const late = pay(PAID, { case_id: 'c2' });
    expect(eventsOf(late, 'policy_decided')[0]?.execute_before_ms).toBe(grant?.expires_at_ms);
    expect(execute_before_ms).toBeLessThan(grant?.expires_at_ms ?? 0);
    world.until(grant?.expires_at_ms ?? 0);
    expect(ran(pay(PAID, { case_id: 'c3' }))).toBe(false);
  });

  test.each<[string, object[]]>([
    ['requires more people', [covering({ quorum: 2 })]],
    ['requires others', [covering({ approver_roles: ['lead'] })]],
    ['no longer allows it', [asking('ask')]],
    ['allows less time', [covering({ saga_max_ms: 1 })]],
    ['has another id', [{ ...covering(), id: 'new' }]],
    ['is joined by another one', [covering(), asking('two', { saga_max_ms: HOUR_MS })]],
    ['denies it', [covering(), { id: 'no', tools: { names: ['pay'] }, effect: 'deny' }]],
  ])('then the step does not run when the rule %s', (_, rules) => {
    world.policy('2', rules);
    expect(ran(pay())).toBe(false);
  });

  test('then a rule that changes after the ruling stops the step before it fires', () => {
    const call_id = pay();
    world.policy('2', [covering({ quorum: 2 })]);
    expect(ran(call_id)).toBe(false);
    expect(eventsOf(call_id, 'tool_call_rejudged')).toHaveLength(1);
  });

  test('then a rule that changes in nothing that matters does not stop the step before it fires', () => {
    const call_id = pay();
    world.policy('2', [{ ...covering(), description: 'new' }]);
    expect(ran(call_id)).toBe(true);
  });

  test('then a revoked grant stops the step before it fires, and no repeat of the grant brings it back', () => {
    const call_id = pay();
    const grant = sagaGrant(world.config, TENANT, 's1')?.grant;
    world.set('grant_set', { grant, revoked: true });
    expect(ran(call_id)).toBe(false);
    world.set('grant_set', { grant, revoked: false });
    expect(ran(pay(PAID, { case_id: 'c2' }))).toBe(false);
  });
});

describe('the ruling on a plan', () => {
  test('has one part for each rule that covers a step, and one for a rule about the plan itself', () => {
    const other = asking('other', { saga_max_ms: HOUR_MS, approver_roles: ['lead'] }, 'inputs.to == "b"');
    world.policy('2', [covering(), other, asking('plans', {}, 'true', { names: [SAGA_APPROVAL.tool] })]);
    const two = planned({ step_id: 'two', inputs: { ...PAID, to: 'b' }, covered_by: ['ask', 'other'] });
    const call_id = requestPlan(planned(), two);
    expect(eventsOf(call_id, 'approval_requested')[0]?.parts.map(({ rule }) => rule)).toEqual(['ask', 'other', 'plans']);
    world.vote(`${call_id}.1`, 'ann', 'approve');
    expect(eventsOf(call_id, 'approval_granted')).toEqual([]);
    world.vote(`${call_id}.1`, 'leo', 'approve', {}, ['lead']);
    const { similar } = eventsOf(call_id, 'approval_granted')[0] as EventMap['approval_granted'];
    expect(similar?.saga?.steps.map(({ step_id, rules }) => [step_id, rules])).toEqual([
      ['one', ['ask']],
      ['two', ['ask', 'other']],
    ]);
  });

  test('is a denial where the plan comes from no saga, from another step or definition, or is none', () => {
    const made = [
      world.request(SAGA_APPROVAL.tool, plan(planned())),
      world.request(SAGA_APPROVAL.tool, plan(planned()), ref('one')),
      world.request(SAGA_APPROVAL.tool, plan(planned()), ref(SAGA_APPROVAL.step, { definition_digest: 'd2' })),
      world.request(SAGA_APPROVAL.tool, { steps: 'x' }, ref(SAGA_APPROVAL.step)),
      world.request(SAGA_APPROVAL.tool, plan({ ...planned(), inputs: [] as never }), ref(SAGA_APPROVAL.step)),
    ];
    expect(made.map((call_id) => eventsOf(call_id, 'policy_decided')[0]?.rule)).toEqual(made.map(() => 'saga.plan_outside_saga'));
  });

  test.each<[string, Partial<PlannedStep>, object[]]>([
    ['a rule that does not allow it', {}, [asking('ask')]],
    ['a contract that changed', { contract_digest: 'other' }, [covering()]],
    [
      'an amount that is not known',
      { inputs: { to: 'a' }, open_inputs: [{ input: 'amount', why: '' }] },
      [covering({ saga_open_inputs: ['amount'] })],
    ],
    ['a recipient that is not known', { inputs: { amount: 1 }, open_inputs: [{ input: 'to', why: '' }] }, [covering()]],
    ['a denied step', {}, [covering(), { id: 'no', tools: { names: ['pay'] }, effect: 'deny' }]],
    ['a step that asks', { asks: true }, [covering()]],
  ])('is a denial where the plan says that an approval covers %s', (_, more, rules) => {
    world.policy('2', rules);
    const call_id = requestPlan(planned(more));
    expect(reasonOf(call_id)).toContain('saga.plan_outdated');
  });

  test('allows a plan that covers no step, and gives no grant', () => {
    const call_id = requestPlan(planned({ covered_by: [] }));
    expect([ran(call_id), eventsOf(call_id, 'approval_requested').length]).toEqual([true, 0]);
  });

  test('refuses an edit and a grant for similar calls', () => {
    const call_id = requestPlan(planned());
    const edited = { inputs_json: '{}', inputs_digest: 'e', idempotency_key: 'k', discriminating_digest: 'e', mapped: null };
    world.vote(`${call_id}.1`, 'ann', 'edit', { edited });
    world.vote(`${call_id}.1`, 'bob', 'approve', { grant: { scope: 'tool', for_ms: MINUTE_MS, uses: 1 } });
    expect(eventsOf(call_id, 'approval_vote_refused').map(({ code }) => code)).toEqual(['bad_edit', 'bad_grant']);
  });

  test('does not let the starter approve, and cancels the plan of a vote that is revoked in time', () => {
    const call_id = requestPlan(planned());
    world.vote(`${call_id}.1`, 'robot', 'approve');
    world.vote(`${call_id}.1`, 'ann', 'approve');
    world.vote(`${call_id}.1`, 'ann', 'revoke');
    expect(eventsOf(call_id, 'approval_vote_refused').map(({ code }) => code)).toContain('four_eyes');
    expect(eventsOf(call_id, 'call_cancelled')).toHaveLength(1);
  });
});

describe('inputs that are not known yet', () => {
  const open = (input: string, inputs: object) =>
    ({ inputs: { ...inputs }, open_inputs: [{ input, why: 'from step x' }] }) as Partial<PlannedStep>;
  const of = (more: Partial<PlannedStep>) => {
    const caller = {
      tenant_id: TENANT,
      principal: { kind: 'agent' as const, id: 'robot', roles: ['agent'] },
      authority: null,
      case_id: null,
      at_ms: world.now_ms,
    };
    const { parts, asks_because } = coverageOf(new TenantRulings(() => world.now_ms), world.config, caller, planned(more));
    return { rules: parts.map(({ rule }) => rule), asks_because };
  };

  test('may be one that the tool marks as free and no rule reads, or one that the rule names', () => {
    expect(of(open('memo', PAID))).toEqual({ rules: ['ask'], asks_because: null });
    expect(of(open('to', { amount: 1 })).asks_because).toBe('rule ask requires that approvers see to, which is not known yet');
    world.policy('2', [covering({ saga_open_inputs: ['to'] })]);
    expect(of(open('to', { amount: 1 }))).toEqual({ rules: ['ask'], asks_because: null });
    world.policy('3', [asking('ask', { saga_max_ms: HOUR_MS }, 'inputs.memo != "x"')]);
    expect(of(open('memo', PAID)).rules).toEqual([]);
    world.policy('4', [asking('ask', { saga_max_ms: HOUR_MS }, 'mapped.memo != "x"')]);
    expect(of(open('memo', PAID)).rules).toEqual([]);
  });

  test('are bound by nothing but their name, and a rule that closes one later asks again', () => {
    approved(planned(open('memo', PAID)));
    expect(ran(pay({ ...PAID, memo: 'whatever came' }))).toBe(true);
    expect(ran(pay({ ...PAID, to: 'b', memo: 'x' }))).toBe(false);
    world.policy('2', [asking('ask', { saga_max_ms: HOUR_MS }, 'inputs.memo != "x"')]);
    expect(ran(pay({ ...PAID, memo: 'other' }))).toBe(false);
  });
});
