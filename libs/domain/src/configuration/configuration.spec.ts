import { contractDigest, type EventMap, type EventType, type ToolContract, topicOf } from '@countersign/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlacedEvent } from '../call/evolve.js';
import { compareSemver, inRange, parseRange, parseSemver } from '../versions/semver.js';
import { evolveConfiguration } from './evolve.js';
import { mappingAt } from './kinds/mappings.js';
import { caseOf, keysOf, overrideFor, principalOfKey, resolveVersion, tenantOf, toolNames, toolVersions } from './queries.js';
import { type ConfigurationState, initialConfiguration } from './state/configuration.js';

const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };

type Stated = { [T in EventType]: [T, Partial<EventMap[T]>, string?] }[EventType];

function folded(...events: Stated[]): ConfigurationState {
  const heads = new Map<string, number>();
  return events.reduce((state, [event_type, event, tenant_id]) => {
    const topic = topicOf(event_type);
    const offset = heads.get(topic) ?? 0;
    heads.set(topic, offset + 1);
    const meta = { tenant_id: tenant_id ?? 'acme' };
    return evolveConfiguration(state, {
      event_type,
      event: { meta, by, ...event },
      topic,
      partition: 0,
      offset,
      timestamp_ms: 1,
    } as PlacedEvent);
  }, initialConfiguration());
}

const tenant: Stated = ['tenant_set', { lane: 'shared', weight: 2, running_max: 8, in_flight_max: 100 }];
const tool = (version: string, lanes = ['shared'], title = 'Pay'): Stated => [
  'tool_registered',
  { name: 'pay', version, contract_json: JSON.stringify({ name: 'pay', version, title }), digest: 'said', lanes, executor_id: 'e1' },
];
const key = (more: Partial<EventMap['api_key_set']> = {}): Stated => [
  'api_key_set',
  { key_id: 'k1', key_hash: 'h1', principal: by, scopes: [], expires_at_ms: null, created_at_ms: 1, ...more },
];
const lifecycle = (version: string, state: EventMap['tool_lifecycle_set']['state'], tenantId?: string): Stated => [
  'tool_lifecycle_set',
  { tool: 'pay', version, state },
  tenantId,
];
const policy = (toolName: string, tier: EventMap['tool_policy_set']['tier']): Stated => [
  'tool_policy_set',
  { tool: toolName, tier, rule_id: `r-${toolName}`, approver_roles: [], quorum: 1, expires_after_ms: null },
];
const versionOf = (state: ConfigurationState, range?: string) => {
  const found = resolveVersion(state, 'acme', 'pay', range);
  return found.kind === 'found' || found.kind === 'blocked' ? `${found.kind} ${found.tool.version}` : found.kind;
};

test('a tenant exists once it is set, and the newest record counts', () => {
  expect(tenantOf(initialConfiguration(), 'acme')).toBeUndefined();
  const state = folded(tenant, ['tenant_set', { lane: 'fast', weight: 1, running_max: 1, in_flight_max: 1 }]);
  expect(tenantOf(state, 'acme')).toEqual({ tenant_id: 'acme', lane: 'fast', weight: 1, running_max: 1, in_flight_max: 1 });
  expect(state.config_offset).toBe(1);
});

test('changes that policy or an executor acts on are announced at once, other changes are not', () => {
  const at = { changed_at_ms: 1 };
  const pair = { one: { issuer: 'local', subject: 'a' }, other: { issuer: 'local', subject: 'b' } };
  const grant = { grant_id: 'g1' } as EventMap['grant_set']['grant'];
  const announced: Stated[] = [
    tenant,
    policy('pay', 'tier_1_auto'),
    lifecycle('1.0.0', 'blocked'),
    ['limit_set', { limit_id: 'l1', version: 1, removed: false, ...at }],
    ['limit_set', { limit_id: 'l1', version: 2, removed: true, ...at }],
    ['grant_set', { grant, revoked: false, ...at }],
    ['grant_set', { grant, revoked: true, ...at }],
    ['delegation_set', { delegation_id: 'd1', ended: false, ...at }],
    ['token_exchange_set', { name: 't1', removed: false, ...at }],
    ['tool_pin_set', { tool: 'pay', version: '1.0.0', pin: 'p', ...at }],
    ['adapter_pin_set', { environment: 'e', adapter: 'erp', adapter_version: '1', protocol_version: null, ...at }],
    ['mapping_set', { tool: 'pay', version: 1, definition_json: null, rolled_back_to: null, ...at }],
    ['mapping_activated', { tool: 'pay', version: 1, ...at }],
    ['person_link_set', { link_id: 'p1', relation: 'same', ...pair, reason: 'r', removed: false, ...at }],
    ['personal_data_set', { rule_id: 'p1', version: 1, removed: false, ...at }],
    ['user_delegation_set', { delegation_id: 'u1', revoked: true, ...at }],
    key(),
    ['api_key_revoked', { key_id: 'k1', revoked_at_ms: 3 }],
    ['identity_provider_set', { provider_id: 'p', issuer: 'https://id', audiences: ['a'], removed: true, ...at }],
    ['fact_table_set', { table: 't', mode: 'replace', rows_json: '{}', removed: [], ...at }],
    ['policy_settings_set', { simulation_required: true, ...at }],
    ['webhook_set', { webhook_id: 'w1', state: 'deleted', ...at }],
  ];
  for (const [n, [type]] of announced.entries()) {
    const state = folded(...announced.slice(0, n + 1));
    expect({ type, policy_offset: state.policy_offset }).toEqual({ type, policy_offset: n });
  }
  const unannounced: Stated[] = [
    ['case_set', { case_id: 'c1', state: 'open', title: null, ...at }],
    ['tool_notice_told', { notice_id: 'n1', ...at }],
  ];
  for (const one of unannounced) expect(folded(tenant, one)).toMatchObject({ policy_offset: 0, config_offset: 1 });
});

test('a key is found by its hash until it is revoked, expired or replaced', () => {
  expect(principalOfKey(folded(key()), 'h1', 5)).toMatchObject({ key_id: 'k1', tenant_id: 'acme', principal: by });
  expect(principalOfKey(folded(key()), 'h2', 5)).toBeUndefined();
  expect(principalOfKey(folded(key({ expires_at_ms: 5 })), 'h1', 4)).toBeDefined();
  expect(principalOfKey(folded(key({ expires_at_ms: 5 })), 'h1', 5)).toBeUndefined();
  expect(principalOfKey(folded(key(), ['api_key_revoked', { key_id: 'k1', revoked_at_ms: 3 }]), 'h1', 4)).toBeUndefined();
  const replaced = folded(key(), key({ key_hash: 'h2' }));
  expect([principalOfKey(replaced, 'h1', 5), principalOfKey(replaced, 'h2', 5)?.key_id]).toEqual([undefined, 'k1']);
});

test('a revoked key stays revoked when it is set again, and only its own tenant can revoke it', () => {
  expect(principalOfKey(folded(key(), ['api_key_revoked', { key_id: 'k1', revoked_at_ms: 3 }], key()), 'h1', 4)).toBeUndefined();
  expect(principalOfKey(folded(key(), ['api_key_revoked', { key_id: 'k1', revoked_at_ms: 3 }, 'other']), 'h1', 4)).toBeDefined();
});

test('keys are listed for their own tenant', () => {
  expect(keysOf(folded(key()), 'acme').map((found) => found.key_id)).toEqual(['k1']);
  expect(keysOf(folded(key()), 'other')).toEqual([]);
});

test('a tool is visible only to tenants of a lane whose executors run it', () => {
  expect(toolNames(folded(tenant, tool('1.0.0')), 'acme')).toEqual(['pay']);
  expect(toolNames(folded(tenant, tool('1.0.0', ['fast'])), 'acme')).toEqual([]);
  expect(toolNames(folded(tool('1.0.0')), 'acme')).toEqual([]);
  expect(toolNames(folded(tenant, tool('1.0.0', ['fast']), tool('1.0.0')), 'acme')).toEqual(['pay']);
});

test('the same version with another contract replaces the first and its lanes', () => {
  const state = folded(tenant, tool('1.0.0'), tool('1.0.0', ['fast'], 'Pay more'));
  expect(toolVersions(state, 'acme', 'pay')).toEqual([]);
  expect(state.tools.get('pay')).toHaveLength(1);
});

test('the digest is computed from the announced contract', () => {
  const contract = { name: 'pay', version: '1.0.0', title: 'Pay' } as ToolContract;
  expect(toolVersions(folded(tenant, tool('1.0.0')), 'acme', 'pay')[0]?.tool.digest).toBe(contractDigest(contract));
});

test('a contract that is unreadable or names another tool is counted and ignored', () => {
  const state = folded(
    ['tool_registered', { name: 'pay', version: '1.0.0', contract_json: '{', lanes: [] }],
    ['tool_registered', { name: 'pay', version: '1.0.0', contract_json: 'null', lanes: [] }],
    ['tool_registered', { name: 'pay', version: '1.0.0', contract_json: '{"name":"steal","version":"1.0.0"}', lanes: [] }],
    ['tool_registered', { name: 'pay', version: 'latest', contract_json: '{"name":"pay","version":"latest"}', lanes: [] }],
  );
  expect([state.unreadable_registrations, state.tools.size, state.catalog_offset]).toEqual([4, 0, 3]);
});

test('a range resolves to its newest active version', () => {
  const state = folded(tenant, ...['1.2.0', '1.10.0', '1.2.5', '2.0.0-rc.1', '0.3.1', '0.4.0'].map((version) => tool(version)));
  expect(versionOf(state)).toBe('found 1.10.0');
  expect(versionOf(state, '1.2.0')).toBe('found 1.2.0');
  expect(versionOf(state, '^1.2.0')).toBe('found 1.10.0');
  expect(versionOf(state, '~1.2.0')).toBe('found 1.2.5');
  expect(versionOf(state, '^0.3.0')).toBe('found 0.3.1');
  expect(versionOf(state, '2.0.0-rc.1')).toBe('found 2.0.0-rc.1');
  expect(versionOf(state, '^2.0.0')).toBe('unknown_version');
  expect(versionOf(state, 'latest')).toBe('bad_range');
  expect(resolveVersion(state, 'acme', 'steal', undefined).kind).toBe('unknown_tool');
});

test('a prerelease is chosen without being named only if there are no releases', () => {
  expect(versionOf(folded(tenant, tool('1.0.0-beta')))).toBe('found 1.0.0-beta');
});

test('active versions precede deprecated ones, and a blocked version is returned only if nothing else matches', () => {
  const versions = [tenant, tool('1.0.0'), tool('1.1.0'), tool('1.2.0')];
  expect(versionOf(folded(...versions, lifecycle('1.2.0', 'blocked'), lifecycle('1.1.0', 'deprecated')))).toBe('found 1.0.0');
  expect(versionOf(folded(...versions, lifecycle('1.2.0', 'blocked')), '1.2.0')).toBe('blocked 1.2.0');
  expect(versionOf(folded(...versions, lifecycle('1.2.0', 'blocked'), lifecycle('1.2.0', 'active')))).toBe('found 1.2.0');
  expect(versionOf(folded(...versions, lifecycle('1.2.0', 'blocked', 'other')))).toBe('found 1.2.0');
});

test("the override for a tool takes precedence over the tenant's override for all tools, and null removes it", () => {
  const rows = [policy('*', 'tier_3_blocked'), policy('pay', 'tier_1_auto')];
  expect(overrideFor(folded(...rows), 'acme', 'pay')?.rule_id).toBe('r-pay');
  expect(overrideFor(folded(...rows), 'acme', 'read')?.rule_id).toBe('r-*');
  expect(overrideFor(folded(...rows, policy('pay', null)), 'acme', 'pay')?.rule_id).toBe('r-*');
  expect(overrideFor(folded(...rows), 'other', 'pay')).toBeUndefined();
});

test('a closed case keeps its title and its opening time', () => {
  const state = folded(
    ['case_set', { case_id: 'c1', state: 'open', title: 'Refund', changed_at_ms: 1 }],
    ['case_set', { case_id: 'c1', state: 'closed', title: null, changed_at_ms: 9 }],
  );
  expect(caseOf(state, 'acme', 'c1')).toEqual({
    case_id: 'c1',
    state: 'closed',
    title: 'Refund',
    external_id: null,
    metadata_json: null,
    opened_at_ms: 1,
    changed_at_ms: 9,
  });
  expect(caseOf(state, 'other', 'c1')).toBeUndefined();
});

test('a record that was already folded changes nothing', () => {
  const state = folded(tenant, key());
  const again = { event_type: 'tenant_set', event: { meta: { tenant_id: 'evil' } }, topic: 'configuration-changed', offset: 1 };
  evolveConfiguration(state, { ...again, partition: 0, timestamp_ms: 1 } as unknown as PlacedEvent);
  expect(tenantOf(state, 'evil')).toBeUndefined();
  evolveConfiguration(state, { event_type: 'policy_decided', topic: 'policy-decided', offset: 7 } as PlacedEvent);
  expect(state.config_offset).toBe(1);
});

test('versions are ordered as semver orders them', () => {
  const ascending = ['0.9.9', '1.0.0-1', '1.0.0-2', '1.0.0-11', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0', '1.0.1', '1.10.0', '2.0.0'];
  const sorted = ascending.toReversed().sort((a, b) => compareSemver(parseSemver(a)!, parseSemver(b)!));
  expect(sorted).toEqual(ascending);
  for (const bad of ['1', '1.0', '01.0.0', '1.0.0-', 'v1.0.0', '']) expect(parseSemver(bad)).toBeUndefined();
});

test('a caret keeps the first non-zero number, a tilde keeps the minor', () => {
  const number = fc.nat(3);
  fc.assert(
    fc.property(number, number, number, number, number, number, (a, b, c, x, y, z) => {
      const version = `${x}.${y}.${z}`;
      const newer = x > a || (x === a && (y > b || (y === b && z >= c)));
      const same = a > 0 ? x === a : b > 0 ? x === 0 && y === b : x === 0 && y === 0 && z === c;
      expect(inRange(parseRange(`^${a}.${b}.${c}`)!, version, parseSemver(version)!)).toBe(newer && same);
      expect(inRange(parseRange(`~${a}.${b}.${c}`)!, version, parseSemver(version)!)).toBe(newer && x === a && y === b);
    }),
  );
});

test('a pending mapping comes into force once a second person activates it, and the newest one in force applies', () => {
  const mapping = (version: number, needs_activation: boolean): Stated => [
    'mapping_set',
    { tool: 'pay', version, definition_json: '{"inputs":[]}', by, changed_at_ms: version * 10, needs_activation },
  ];
  const activated = (version: number, id: string): Stated => [
    'mapping_activated',
    { tool: 'pay', version, by: { ...by, id }, changed_at_ms: 35 },
  ];
  const single: Stated = ['policy_settings_set', { simulation_required: false, single_policy_admin: true, changed_at_ms: 1 }];
  const at = (at_ms: number, ...events: Stated[]) => mappingAt(folded(...events), 'acme', 'pay', at_ms)?.version;
  expect([at(9, mapping(1, false)), at(10, mapping(1, false))]).toEqual([undefined, 1]);
  const waiting = [mapping(1, false), mapping(2, true)];
  expect(at(100, ...waiting)).toBe(1);
  expect(at(100, ...waiting, activated(2, by.id))).toBe(1);
  expect(at(100, ...waiting, single, activated(2, by.id))).toBe(2);
  expect([at(34, ...waiting, activated(2, 'second')), at(35, ...waiting, activated(2, 'second'))]).toEqual([1, 2]);
  expect(at(100, ...waiting, mapping(3, false), activated(2, 'second'))).toBe(3);
  expect(at(100, ...waiting, activated(3, 'second'))).toBe(1);
});
