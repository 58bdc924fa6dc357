import { contractDigest, contractPin, type EventMap, type ToolContract } from '@countersign/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlacedEvent } from '../call/evolve.js';
import { editDistance, nearestNames } from '../registry/nearest-names.js';
import { readEvaluation } from '../registry/record.js';
import { ungatedRegistration } from '../testing/ungated-registration.js';
import { evolveConfiguration } from './evolve.js';
import { resolveVersion } from './queries.js';
import { deprecationNotice, evaluationOf, lifecycleEntry, promotionFault, stateOfVersion, suspension } from './standing.js';
import { type ConfigurationState, initialConfiguration } from './state/configuration.js';
import type { ToolVersion } from './state/tools.js';

const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };

function contract(version: string, more: Partial<ToolContract> = {}): ToolContract {
  const amount = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'], additionalProperties: false };
  const traits = { effect_class: 'commit_low', reversibility: 'reversible', idempotency: { except: [] }, markings: [], scopes: [] };
  const shapes = { input_schema: amount, output_schema: { type: 'object', properties: {}, additionalProperties: false } };
  return { name: 'pay', version, title: 'Pay', description: 'Pays.', timeout_ms: 1000, ...traits, ...shapes, ...more } as ToolContract;
}

/** A registry that receives events one after the other. */
class Registry {
  state: ConfigurationState = initialConfiguration();
  private offset = 0;

  constructor() {
    this.say('tenant_set', { lane: 'shared', weight: 1, running_max: 1, in_flight_max: 1 });
  }

  say<T extends keyof EventMap>(event_type: T, event: Partial<EventMap[T]>, topic = 'configuration-changed'): this {
    const at = {
      event_type,
      event: { meta: { tenant_id: 'acme' }, by, changed_at_ms: 5, ...event },
      topic,
      partition: 0,
      offset: this.offset++,
    };
    this.state = evolveConfiguration(this.state, { ...at, timestamp_ms: 1 } as unknown as PlacedEvent);
    return this;
  }

  register(tool: ToolContract, more: Partial<EventMap['tool_registered']> = {}): this {
    const { name, version } = tool;
    const registration = {
      name,
      version,
      digest: 'said',
      contract_json: JSON.stringify(tool),
      lanes: ['shared'],
      executor_id: 'e1',
      registered_at_ms: 7,
    };
    return this.say('tool_registered', { ...ungatedRegistration, ...registration, ...more }, 'tool-registered');
  }

  tool(version = '1.0.0'): ToolVersion {
    return this.state.tools.get('pay')?.find((each) => each.version === version) as ToolVersion;
  }
  standing(version = '1.0.0', tenant = 'acme') {
    return stateOfVersion(this.state, tenant, this.tool(version));
  }
  resolved(range?: string) {
    const found = resolveVersion(this.state, 'acme', 'pay', range);
    return 'tool' in found ? `${found.kind} ${found.tool.version}` : found.kind;
  }
}

const evaluated = (tool: ToolContract, more: object = {}) =>
  JSON.stringify({
    tool: tool.name,
    version: tool.version,
    contract_digest: contractDigest(tool),
    passed: 3,
    failed: 0,
    cases: [],
    verified_at: '2026-11-22T00:00:00Z',
    ...more,
  });
const wider = { input_schema: { ...contract('1.0.0').input_schema, required: [] } };
const narrower = { input_schema: { ...contract('1.0.0').input_schema, properties: { amount: { type: 'integer' } } } };

test('a minor version that narrows a schema is refused with the difference, and is not registered', () => {
  const registry = new Registry().register(contract('1.0.0')).register(contract('1.1.0', narrower));
  expect(registry.state.refused.get('pay@1.1.0')).toMatchObject({
    against: '1.0.0',
    digest: contractDigest(contract('1.1.0', narrower)),
    differences: [{ pointer: '/input_schema/properties/amount/type', allowed: 'wider' }],
    lanes: ['shared'],
  });
  expect(registry.resolved('1.1.0')).toBe('unknown_version');
  expect(registry.resolved()).toBe('found 1.0.0');
});

test('a minor may widen, a patch may not change a schema, a major may do anything', () => {
  const registry = new Registry()
    .register(contract('1.0.0'))
    .register(contract('1.1.0', wider))
    .register(contract('1.1.1'))
    .register(contract('2.0.0', narrower));
  expect([...registry.state.refused.keys()]).toEqual(['pay@1.1.1']);
  expect(registry.resolved('^1.0.0')).toBe('found 1.1.0');
  expect(registry.resolved()).toBe('found 2.0.0');
});

test('a version that is registered late is also compared with the next higher one', () => {
  const registry = new Registry().register(contract('1.0.0')).register(contract('1.2.0')).register(contract('1.1.0', wider));
  expect(registry.state.refused.get('pay@1.1.0')).toMatchObject({ against: '1.2.0' });
  expect(new Registry().register(contract('1.2.0', wider)).register(contract('1.1.0')).resolved('1.1.0')).toBe('found 1.1.0');
});

test('a prerelease makes no promise and is compared with nothing', () => {
  expect(new Registry().register(contract('1.0.0')).register(contract('1.1.0-rc.1', narrower)).resolved('1.1.0-rc.1')).toBe(
    'found 1.1.0-rc.1',
  );
});

test('a refused version that is registered again and keeps its promise is accepted', () => {
  const registry = new Registry().register(contract('1.0.0')).register(contract('1.1.0', narrower)).register(contract('1.1.0', wider));
  expect([registry.state.refused.size, registry.resolved()]).toEqual([0, 'found 1.1.0']);
});

test('in any order of versions, an incompatible pair is never registered together', () => {
  const versions = [
    contract('1.0.0'),
    contract('1.0.1', wider),
    contract('1.1.0', narrower),
    contract('1.2.0', wider),
    contract('2.0.0', narrower),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(versions, { minLength: 5 }), (order) => {
      const registry = new Registry();
      for (const each of order) registry.register(each);
      const there = new Set((registry.state.tools.get('pay') ?? []).map(({ version }) => version));
      expect(there.has('1.0.0') && there.has('1.0.1')).toBe(false);
      expect(there.has('1.0.0') && there.has('1.1.0')).toBe(false);
      expect(there.size + registry.state.refused.size).toBe(5);
    }),
  );
});

test('a contract that changes under its version suspends the version until the tenant accepts it', () => {
  const drifted = contract('1.0.0', { description: 'Pays, and tells everybody.' });
  const registry = new Registry().register(contract('1.0.0'));
  expect(registry.standing()).toBe('active');
  const before = registry.state.revocation_epoch;
  registry.register(drifted);
  expect([registry.standing(), registry.state.drifted]).toEqual(['suspended', 1]);
  expect(registry.state.revocation_epoch).toBeGreaterThan(before);
  expect(suspension(registry.state, 'acme', registry.tool())).toContain('agreed to');
  expect(registry.resolved()).toBe('blocked 1.0.0');
  registry.say('tool_pin_set', { tool: 'pay', version: '1.0.0', pin: contractPin(drifted) });
  expect([registry.standing(), registry.standing('1.0.0', 'other')]).toEqual(['active', 'suspended']);
  registry.register(contract('1.0.0'));
  expect([registry.standing(), registry.standing('1.0.0', 'other'), registry.state.drifted]).toEqual(['suspended', 'active', 0]);
});

test('the way a tool runs may change under its version; the fields that callers rely on may not', () => {
  expect(
    new Registry()
      .register(contract('1.0.0'))
      .register(contract('1.0.0', { timeout_ms: 9000, cost_per_call: 2 }))
      .standing(),
  ).toBe('active');
  for (const more of [
    wider,
    { markings: ['pii'] },
    { title: 'P' },
    { effect_class: 'stage' },
    { idempotency: { except: ['amount'] } },
    { resources: [{ name: 'account:{/amount}', effect: 'adds' }] },
    { endpoint: 'https://x' },
  ] as Partial<ToolContract>[])
    expect(new Registry().register(contract('1.0.0')).register(contract('1.0.0', more)).standing()).toBe('suspended');
});

test('a gated version is a candidate until an evaluation of exactly this contract has passed', () => {
  const tool = contract('1.0.0');
  const standing = (evaluation_json: string | null) => new Registry().register(tool, { gated: true, evaluation_json }).standing();
  expect(standing(null)).toBe('candidate');
  expect(standing(evaluated(tool))).toBe('active');
  expect(standing(evaluated(tool, { failed: 1 }))).toBe('candidate');
  expect(standing(evaluated(tool, { passed: 0 }))).toBe('candidate');
  expect(standing(evaluated(contract('1.0.0', wider)))).toBe('candidate');
  expect(standing('{"tool":')).toBe('candidate');
});

test('a candidate can be promoted only after an evaluation of its contract passed; until then it does not replace an older version', () => {
  const next = contract('1.1.0', wider);
  const registry = new Registry().register(contract('1.0.0')).register(next, { gated: true });
  const fault = () => promotionFault(registry.state, 'acme', registry.tool('1.1.0'));
  const evaluation = {
    tool: 'pay',
    version: '1.1.0',
    passed: 2,
    failed: 1,
    cases_json: '[{"title":"t","passed":false}]',
    verified_at_ms: 9,
  };
  expect([registry.resolved(), registry.resolved('1.1.0'), fault()]).toEqual([
    'found 1.0.0',
    'blocked 1.1.0',
    expect.stringContaining('no evaluation'),
  ]);
  registry.say('tool_evaluation_set', { ...evaluation, contract_digest: 'another' });
  expect(fault()).toContain('no evaluation');
  registry.say('tool_evaluation_set', { ...evaluation, contract_digest: contractDigest(next) });
  expect(fault()).toContain('1 of 3');
  registry.say('tool_evaluation_set', { ...evaluation, failed: 0, contract_digest: contractDigest(next) });
  expect([fault(), registry.standing('1.1.0')]).toEqual([undefined, 'candidate']);
  expect(evaluationOf(registry.state, 'acme', registry.tool('1.1.0'))).toMatchObject({ passed: 2, cases: [{ title: 't' }] });
  registry.say('tool_lifecycle_set', { tool: 'pay', version: '1.1.0', state: 'active' });
  expect(registry.resolved()).toBe('found 1.1.0');
});

test('blocked takes precedence over every other state', () => {
  const registry = new Registry()
    .register(contract('1.0.0'))
    .say('tool_lifecycle_set', { tool: 'pay', version: '1.0.0', state: 'blocked' });
  expect([registry.standing(), registry.register(contract('1.0.0', wider)).standing()]).toEqual(['blocked', 'blocked']);
});

test('a version that runs on another adapter or protocol than the pinned one is suspended in that environment', () => {
  const runs_on = { environment: 'production', adapter: 'erp', adapter_version: '1.1.0', protocol_version: '2026-07-28' };
  const registry = new Registry().register(contract('1.0.0'), runs_on);
  const pin = (more: object) =>
    registry
      .say('adapter_pin_set', { environment: 'production', adapter: 'erp', adapter_version: null, protocol_version: null, ...more })
      .standing();
  expect(pin({ adapter_version: '1.1.0' })).toBe('active');
  expect(pin({ adapter_version: '1.0.0' })).toBe('suspended');
  expect(pin({ protocol_version: '2025-11-25' })).toBe('suspended');
  expect(pin({ environment: 'staging', adapter_version: '9' })).toBe('suspended');
  expect(pin({})).toBe('active');
});

test('callers of a deprecated version get its end date and its replacement', () => {
  const registry = new Registry().register(contract('1.0.0')).say('tool_lifecycle_set', {
    tool: 'pay',
    version: '1.0.0',
    state: 'deprecated',
    sunset_at_ms: Date.UTC(2027, 0, 1),
    reason: 'slow',
    use_instead: 'pay@2.0.0',
  });
  const entry = lifecycleEntry(registry.state.by_tenant.get('acme'), 'pay', '1.0.0');
  expect(entry && deprecationNotice('pay', '1.0.0', entry)).toBe(
    'pay@1.0.0 is deprecated and ends on 2027-01-01T00:00:00.000Z; use pay@2.0.0 (slow)',
  );
  expect(registry.resolved()).toBe('found 1.0.0');
});

test('an invalid evaluation is null', () => {
  for (const text of [
    null,
    '',
    'null',
    '[]',
    '{"tool":"a"}',
    evaluated(contract('1.0.0'), { passed: -1 }),
    evaluated(contract('1.0.0'), { failed: '0' }),
  ])
    expect(readEvaluation(text)).toBeNull();
});

test('the nearest names come first, and distant ones are omitted', () => {
  const names = ['write_file', 'read_file', 'git_commit', 'move_file', 'write_files_all'];
  expect(nearestNames('wirte_file', names)[0]).toBe('write_file');
  expect(nearestNames('writ', names)).toEqual(expect.arrayContaining(['write_file', 'write_files_all']));
  expect(nearestNames('zzzzzzzz', names)).toEqual([]);
  expect(editDistance('ab', 'ba')).toBe(1);
});

test('a distance is symmetric, zero only for equal texts, and at most the length of the longer text', () => {
  const text = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const distance = editDistance(a, b);
      expect(distance).toBe(editDistance(b, a));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});
