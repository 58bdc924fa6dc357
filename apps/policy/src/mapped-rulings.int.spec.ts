import { canonicalText, type EventMap, sha256Hex, type ToolCall, uuidv7 } from '@countersign/contracts';
import { aMeta } from '@countersign/domain/testing/ruled-partition';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PolicyRig } from './testing/policy-rig.js';

let rig: PolicyRig;
beforeEach(async () => {
  rig = await PolicyRig.open();
});
afterEach(() => rig.close());

const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };
const at = { meta: aMeta(null), by, changed_at_ms: 1 };

/** Maps the payee `other` to `imp`, and a total in euros to cents. */
async function publish(more: Partial<EventMap['mapping_set']> = {}): Promise<number> {
  const inputs = [
    { from: '/to', to: '/to', lookup: 'payees' },
    { from: '/total', to: '/cents', value: '$ * 100' },
  ];
  const definition_json = JSON.stringify({ inputs, tables: { payees: { other: 'imp', safe: 'safe' } } });
  const set = { tool: 'note', version: 1, definition_json, rolled_back_to: null, needs_activation: false };
  return rig.put('mapping_set', { ...at, ...set, ...more });
}

async function rule(rules: object[]): Promise<number> {
  const bundle_json = JSON.stringify({ rules });
  const version = uuidv7(Date.now());
  const bundle = { version, bundle_json, digest: sha256Hex(bundle_json), semantics: 2, simulation_digest: null, published_at_ms: 1 };
  await rig.put('policy_bundle_published', { meta: aMeta(null), by, ...bundle });
  return rig.put('policy_bundle_activated', { meta: aMeta(null), by, version, shadow_version: null, activated_at_ms: 1 });
}

const inputsOf = (inputs: object): Partial<ToolCall> => {
  const inputs_json = canonicalText(inputs);
  return { inputs_json, inputs_digest: sha256Hex(inputs_json), requested_at_ms: Date.now() };
};

/** The executor refused to run the call under the rules at this offset: the policy service must have read them when it decides again. */
async function rejudged(call_id: string, call: ToolCall, config_offset: number): Promise<void> {
  const refused = {
    decision_id: 'd',
    revision: 1,
    config_offset,
    tier: 'tier_3_blocked' as const,
    because: 'stricter' as const,
    rule: 'mapping.not_judged',
    reason: 'x',
  };
  await rig.put('tool_call_rejudged', { meta: rig.meta(call_id), ...refused, source: { topic: 'policy-decided', offset: 0 }, call });
}

const secondRuling = async (call_id: string): Promise<EventMap['policy_decided']> => {
  let found: EventMap['policy_decided'] | undefined;
  await rig.until(async () => {
    const rulings = (await rig.ofCall(call_id)).filter((seen) => seen.event_type === 'policy_decided');
    found = rulings.map(({ event }) => event as EventMap['policy_decided']).find(({ revision }) => revision === 2);
    return found !== undefined;
  });
  return found as EventMap['policy_decided'];
};

test('a call on the log without its mapped form is mapped before it is decided, and the decision has both forms', async () => {
  await publish();
  await rule([{ id: 'no-imp', tools: {}, when: 'mapped.to == "imp"', effect: 'deny' }]);
  const denied = await rig.request('note', inputsOf({ to: 'other', total: 1 }));
  expect(await rig.seen(denied, 'policy_decided')).toMatchObject({ effect: 'deny', rule: 'no-imp' });
  const allowed = await rig.request('note', inputsOf({ to: 'safe', total: 1 }));
  expect(await rig.seen(allowed, 'policy_decided')).toMatchObject({
    effect: 'allow',
    call: { inputs_json: '{"to":"safe","total":1}', mapped: { inputs_json: '{"cents":100,"to":"safe"}', mapping_version: 1 } },
  });
});

test('inputs that a mapping refuses are denied, and the reason names the field', async () => {
  await publish();
  const call_id = await rig.request('note', inputsOf({ to: 'nobody', total: 1 }));
  expect(await rig.seen(call_id, 'policy_decided')).toMatchObject({
    effect: 'deny',
    rule: 'mapping.refused',
    reason: { code: 'VALIDATION_ERROR', details_json: expect.stringContaining('"path":"/to"') },
  });
});

test('a version that waits for a second person maps nothing until it is activated', async () => {
  await publish({ needs_activation: true });
  const before = await rig.request('note', inputsOf({ to: 'other', total: 1 }));
  expect((await rig.seen(before, 'policy_decided')).call.mapped).toBeNull();
  await rig.put('mapping_activated', { ...at, tool: 'note', version: 1 });
  const own = await rig.request('note', inputsOf({ to: 'other', total: 1 }));
  expect((await rig.seen(own, 'policy_decided')).call.mapped).toBeNull();
  await rig.put('mapping_activated', { ...at, by: { ...by, id: 'second' }, tool: 'note', version: 1 });
  const after = await rig.request('note', inputsOf({ to: 'other', total: 1 }));
  expect((await rig.seen(after, 'policy_decided')).call.mapped).toMatchObject({ inputs_json: '{"cents":100,"to":"imp"}' });
});

test('inputs that a cap lowers are mapped and decided again, with the mapping version of the call', async () => {
  await publish();
  const cap = { id: 'cap', tools: {}, effect: 'allow', obligations: [{ cap: { path: '/total', max: 5, otherwise: 'lower' } }] };
  await rule([cap]);
  const mapped = { inputs_json: '{"cents":700,"to":"imp"}', inputs_digest: 'x', mapping_version: 1, permissive: false, warnings: [] };
  await publish({ version: 2, definition_json: JSON.stringify({ inputs: [], mode: 'permissive' }) });
  const lowered = await rig.request('note', { ...inputsOf({ to: 'other', total: 7 }), mapped });
  expect(await rig.seen(lowered, 'policy_decided')).toMatchObject({
    effect: 'allow',
    call: { inputs_json: '{"to":"other","total":5}', mapped: { inputs_json: '{"cents":500,"to":"imp"}', mapping_version: 1 } },
  });
  await rule([cap, { id: 'five-hundred', tools: {}, when: 'mapped.cents == 500', effect: 'deny' }]);
  const denied = await rig.request('note', { ...inputsOf({ to: 'other', total: 7 }), mapped });
  expect(await rig.seen(denied, 'policy_decided')).toMatchObject({ effect: 'deny', rule: 'five-hundred' });
});

test('a call that was allowed before the upgrade is decided again in both forms; an approval is requested again', async () => {
  const asks = [{ id: 'ask', tools: {}, effect: 'require_approval' }];
  await rule(asks);
  const call_id = await rig.request('note', inputsOf({ to: 'other', total: 1 }));
  const { call } = await rig.seen(call_id, 'approval_requested');
  await rig.vote(`${call_id}.1`, 'ann', 'approve');
  await rig.seen(call_id, 'approval_granted');
  await rejudged(call_id, call, await publish());
  const again = await secondRuling(call_id);
  expect(again).toMatchObject({ effect: 'require_approval', rule: 'ask', call: { mapped: { inputs_json: '{"cents":100,"to":"imp"}' } } });
  const requests = (await rig.ofCall(call_id)).filter(({ event_type }) => event_type === 'approval_requested');
  const [first, second] = requests.map(({ event }) => event as EventMap['approval_requested']);
  expect(second?.ruling_digest).not.toBe(first?.ruling_digest);
  await rig.vote(`${call_id}.2`, 'ann', 'approve');
  await rig.until(async () => (await rig.ofCall(call_id)).filter(({ event_type }) => event_type === 'approval_granted').length === 2);
});

test('an edit from before the upgrade is mapped before it is decided, and the grant has both forms', async () => {
  await publish();
  await rule([{ id: 'ask', tools: {}, effect: 'require_approval' }]);
  const call_id = await rig.request('note', inputsOf({ to: 'other', total: 1 }));
  await rig.seen(call_id, 'approval_requested');
  const { inputs_json, inputs_digest } = inputsOf({ to: 'safe', total: 2 }) as Pick<ToolCall, 'inputs_json' | 'inputs_digest'>;
  const own = { idempotency_key: uuidv7(rig.now()), discriminating_digest: '00000000000000bb' };
  const edited = { inputs_json, inputs_digest, ...own, mapped: null };
  await rig.vote(`${call_id}.1`, 'ann', 'edit', ['approver'], { edited, inputs_json, inputs_digest });
  const granted = await rig.seen(call_id, 'approval_granted');
  expect(granted.call).toMatchObject({ inputs_json, mapped: { inputs_json: '{"cents":200,"to":"safe"}' } });
});
