import { contractDigest, type EventMap, type ToolContract } from '@countersign/contracts';
import { expect, test } from 'vitest';
import type { PlacedEvent } from '../call/evolve.js';
import { ungatedRegistration } from '../testing/ungated-registration.js';
import { evolveConfiguration } from './evolve.js';
import { httpToolsOf } from './kinds/http-tools.js';
import { catalogued, resolveVersion, toolNames, toolVersions } from './queries.js';
import { initialConfiguration } from './state/configuration.js';

const by = { kind: 'user' as const, id: 'tess', roles: ['tool_author'] };
const contract = (version: string, title = 'Pay') =>
  ({ name: 'pay', version, title, input_schema: {}, output_schema: {} }) as unknown as ToolContract;

/** A configuration of two tenants. */
class Folded {
  readonly state = initialConfiguration();
  private offset = 0;

  constructor() {
    for (const tenant_id of ['acme', 'umbra']) this.fold('configuration-changed', 'tenant_set', tenant_id, { lane: 'shared' } as never);
  }

  fold<T extends keyof EventMap>(topic: string, event_type: T, tenant_id: string, fields: Omit<EventMap[T], 'meta'>): this {
    const event = { meta: { tenant_id }, ...fields };
    const placed = { event_type, event, topic, partition: 0, offset: this.offset++, timestamp_ms: 1 };
    evolveConfiguration(this.state, placed as unknown as PlacedEvent);
    return this;
  }

  announce(tool: ToolContract, only_tenant: string | null): this {
    const { name, version } = tool;
    const said = {
      name,
      version,
      digest: '',
      contract_json: JSON.stringify(tool),
      lanes: ['shared'],
      executor_id: 'e1',
      registered_at_ms: 1,
    };
    return this.fold('tool-registered', 'tool_registered', only_tenant ?? '', { ...ungatedRegistration, ...said, only_tenant });
  }

  set(tenant_id: string, contract_json: string): this {
    const fields = { tool: 'pay', version: '1.0.0', contract_json, secret_sealed: 'sealed', gated: false, by, changed_at_ms: 1 };
    return this.fold('configuration-changed', 'http_tool_set', tenant_id, fields);
  }
}

test('a tool that one tenant has is in no other catalog; two tenants have tools of one name', () => {
  const { state } = new Folded().announce(contract('1.0.0'), 'acme').announce(contract('2.0.0', 'Theirs'), 'umbra');
  expect([toolNames(state, 'acme'), toolNames(state, 'umbra'), toolNames(state, 'third')]).toEqual([['pay'], ['pay'], []]);
  expect(toolVersions(state, 'acme', 'pay').map(({ tool }) => tool.version)).toEqual(['1.0.0']);
  expect(catalogued(state, 'acme', 'pay', '2.0.0')).toBeUndefined();
  expect(catalogued(state, 'umbra', 'pay', '2.0.0')?.digest).toBe(contractDigest(contract('2.0.0', 'Theirs')));
  expect(resolveVersion(state, 'acme', 'pay', '2.0.0')).toEqual({ kind: 'unknown_version', known: ['1.0.0'] });
});

test('the tool of a pack hides a tool of the same name, whichever came first', () => {
  const later = new Folded().announce(contract('1.0.0'), 'acme').announce(contract('3.0.0', 'Of a pack'), null);
  const earlier = new Folded().announce(contract('3.0.0', 'Of a pack'), null).announce(contract('1.0.0'), 'acme');
  for (const { state } of [later, earlier]) expect(toolVersions(state, 'acme', 'pay').map(({ tool }) => tool.version)).toEqual(['3.0.0']);
});

test('a registration that breaks the promise of its number is refused for its tenant alone', () => {
  const narrower = { ...contract('1.1.0'), input_schema: { type: 'object', required: ['a'] } };
  const { state } = new Folded().announce(contract('1.0.0'), 'acme').announce(narrower, 'acme').announce(narrower, 'umbra');
  expect([...state.refused.keys()]).toEqual(['acme/pay@1.1.0']);
  expect(catalogued(state, 'acme', 'pay', '1.1.0')).toBeUndefined();
  expect(catalogued(state, 'umbra', 'pay', '1.1.0')).toBeDefined();
});

test('an endpoint is of its tenant; a contract that cannot be read is ignored', () => {
  const { state } = new Folded()
    .set('acme', JSON.stringify(contract('1.0.0')))
    .set('umbra', '{')
    .set('umbra', 'null');
  expect([...httpToolsOf(state, 'acme').keys()]).toEqual(['pay@1.0.0']);
  expect(httpToolsOf(state, 'umbra').size).toBe(0);
});
