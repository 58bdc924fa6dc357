import { type AnyEvent, contractDigest, type EventMap, type Principal, sha256Hex, type ToolContract } from '@countersign/contracts';
import { type ConfigurationState, evolveConfiguration, initialConfiguration, mappingVersions, type PlacedEvent } from '@countersign/domain';
import { ungatedRegistration } from '@countersign/domain/testing/ungated-registration';
import type { MappingDefinition } from '@countersign/mapping';
import { describe, expect, test } from 'vitest';
import { activationProblem, activationReasons, otherPolicyAdmins } from './mapping-activation.js';

const admin = (id: string, kind: Principal['kind'] = 'user'): Principal => ({ kind, id, roles: ['policy_admin'] });
const meta = { tenant_id: 'acme' };
type Stated = { [T in AnyEvent['event_type']]: [T, object] }[AnyEvent['event_type']];

function folded(...stated: Stated[]): ConfigurationState {
  const first: Stated = ['tenant_set', { lane: 'shared', weight: 1, running_max: 1, in_flight_max: 1 }];
  return [first, ...stated].reduce(
    (state, [event_type, event], offset) =>
      evolveConfiguration(state, {
        event_type,
        event: { meta, ...event },
        topic: event_type === 'tool_registered' ? 'tool-registered' : 'configuration-changed',
        partition: 0,
        offset,
        timestamp_ms: offset,
      } as unknown as PlacedEvent),
    initialConfiguration(),
  );
}

function tool(effect_class: ToolContract['effect_class'], idempotency: ToolContract['idempotency']): Stated {
  const input_schema = { type: 'object', properties: { to: {}, total: {}, memo: {} } };
  const contract = {
    name: 'pay',
    version: '1.0.0',
    category: 'c',
    markings: [],
    scopes: [],
    effect_class,
    idempotency,
    input_schema,
  } as unknown as ToolContract;
  const announced = {
    contract_json: JSON.stringify(contract),
    digest: contractDigest(contract),
    lanes: ['shared'],
    ...ungatedRegistration,
  };
  return ['tool_registered', { name: 'pay', version: '1.0.0', executor_id: 'e', registered_at_ms: 1, ...announced }];
}

function rules(...of: object[]): Stated[] {
  const bundle_json = JSON.stringify({ rules: of });
  const bundle = { version: sha256Hex(bundle_json), bundle_json, simulation_digest: null, by: admin('a'), published_at_ms: 1 };
  const active = { version: bundle.version, shadow_version: null, by: admin('a'), activated_at_ms: 1 };
  return [
    ['policy_bundle_published', bundle],
    ['policy_bundle_activated', active],
  ];
}

const key = (id: string, principal: Principal, owner: string | null = null): Stated => [
  'api_key_set',
  { key_id: id, key_hash: id, principal, scopes: null, clearances: [], purposes: null, expires_at_ms: null, created_at_ms: 1, owner },
];

const memo: MappingDefinition = { inputs: [{ from: '/memo', to: '/memo', lookup: 't' }], tables: { t: { a: 'b' } } };
const to: MappingDefinition = { inputs: [{ from: '/to', to: '/to', lookup: 't' }], tables: { t: { a: 'b' } } };
const reasons = (state: ConfigurationState, definition: MappingDefinition) => activationReasons(state, 'acme', 'pay', definition).length;

describe('the activation of a mapping', () => {
  test('a mapping of fields that identify a write, or that a rule, a cap or a limit reads, needs a second person', () => {
    const write = tool('commit_high', { discriminating: ['to'] });
    expect([reasons(folded(write), memo), reasons(folded(write), to)]).toEqual([0, 1]);
    expect(reasons(folded(tool('commit_high', { except: ['total'] })), memo)).toBe(1);
    expect(reasons(folded(tool('read_internal', { except: [] })), to)).toBe(0);
    expect(reasons(folded(write, ...rules({ id: 'r', tools: {}, effect: 'deny', when: 'inputs.memo == "x"' })), memo)).toBe(1);
    expect(
      reasons(folded(write, ...rules({ id: 'r', tools: { names: ['other'] }, effect: 'deny', when: 'inputs.memo == "x"' })), memo),
    ).toBe(0);
    const cap = { id: 'c', tools: {}, effect: 'allow', obligations: [{ cap: { path: '/memo', max: 1, otherwise: 'refuse' } }] };
    expect(reasons(folded(write, ...rules(cap)), memo)).toBe(1);
    const limit = {
      limit_id: 'l',
      version: 1,
      removed: false,
      kind: 'cumulative',
      scope: 'tenant',
      tools: [],
      amount: 'inputs.total',
      per: 'inputs.memo',
      changed_at_ms: 1,
    };
    expect(reasons(folded(write, ['limit_set', limit]), memo)).toBe(1);
    expect(activationReasons(folded(write), 'acme', 'pay', null)).toEqual([]);
  });

  test('another person than the publisher activates it, with any key; a single admin needs the setting', () => {
    const set = { tool: 'pay', definition_json: JSON.stringify(to), by: admin('ann'), changed_at_ms: 1, needs_activation: true };
    const waiting: Stated[] = [['mapping_set', { ...set, version: 1 }]];
    const problem = (state: ConfigurationState, by: Principal, version = 1) =>
      activationProblem(state, 'acme', mappingVersions(state, 'acme', 'pay'), { version, by })?.kind;
    expect(problem(folded(...waiting), admin('bob'))).toBeUndefined();
    expect(problem(folded(...waiting), admin('ann'))).toBe('forbidden');
    expect(problem(folded(...waiting), admin('bot', 'agent'))).toBe('forbidden');
    expect(problem(folded(...waiting), admin('bob'), 2)).toBe('not-found');
    const owned = folded(...waiting, key('k1', admin('ann')), key('k2', admin('ann-too'), 'ann'), key('k3', admin('bob')));
    expect([problem(owned, admin('ann-too')), problem(owned, admin('bob'))]).toEqual(['forbidden', undefined]);
    const [one, other] = ['ann', 'bob'].map((subject) => ({ issuer: 'local', subject }));
    const linked: Stated = [
      'person_link_set',
      { link_id: 'l', one, other, relation: 'same', reason: 'r', removed: false, by: admin('c'), changed_at_ms: 1 },
    ];
    expect([problem(folded(...waiting, linked), admin('bob')), problem(folded(...waiting), admin('Ann'))]).toEqual([
      'forbidden',
      'forbidden',
    ]);
    const settings: EventMap['policy_settings_set'] = { simulation_required: false, single_policy_admin: true } as never;
    expect(problem(folded(...waiting, ['policy_settings_set', settings]), admin('ann'))).toBeUndefined();
    const newer: Stated = ['mapping_set', { ...set, version: 2, needs_activation: false }];
    expect([problem(folded(...waiting, newer), admin('bob')), problem(folded(...waiting, newer), admin('bob'), 2)]).toEqual([
      'conflict',
      'conflict',
    ]);
  });

  test('single_policy_admin requires that no other person has a valid key with the role', () => {
    const state = folded(
      key('k1', admin('ann')),
      key('k2', admin('bob')),
      key('k3', { ...admin('carl'), roles: ['agent'] }),
      key('k4', admin('svc', 'service')),
    );
    expect(otherPolicyAdmins(state, 'acme', admin('ann'), 5)).toEqual(['bob']);
    const revoked = folded(key('k1', admin('ann')), key('k2', admin('bob')), ['api_key_revoked', { key_id: 'k2', revoked_at_ms: 3 }]);
    expect(otherPolicyAdmins(revoked, 'acme', admin('ann'), 5)).toEqual([]);
    expect(otherPolicyAdmins(state, 'other', admin('ann'), 5)).toEqual([]);
  });
});
