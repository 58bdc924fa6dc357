import type { EventMap, MappedInputs } from '@countersign/contracts';
import { evolveConfiguration, initialConfiguration, type PlacedEvent } from '@countersign/domain';
import type { MappingDefinition } from '@countersign/mapping';
import { expect, test } from 'vitest';
import { isUnmappable, TenantMappings, type Unmappable } from './tenant-mappings.js';

const by = { kind: 'user' as const, id: 'root', roles: [] };

/** The definitions, published by acme one after the other at 10, 20, 30… */
function mappings(...definitions: (Partial<MappingDefinition> | null)[]): TenantMappings {
  const state = definitions.reduce((folded, definition, at) => {
    const set = { tool: 'pay', version: at + 1, rolled_back_to: null, by, changed_at_ms: (at + 1) * 10, needs_activation: false };
    const definition_json = definition && JSON.stringify(definition);
    const event = { meta: { tenant_id: 'acme' }, ...set, definition_json } as unknown as EventMap['mapping_set'];
    const place = { topic: 'configuration-changed', partition: 0, offset: at, timestamp_ms: 0 };
    return evolveConfiguration(folded, { event_type: 'mapping_set', event, ...place } as PlacedEvent);
  }, initialConfiguration());
  return new TenantMappings({ state });
}

const moved: MappingDefinition = { inputs: [{ from: '/b', to: '/a' }] };
const call = (requested_at_ms: number) => ({ tool: 'pay', requested_at_ms });
const issues = (made: MappedInputs | Unmappable | undefined) => made && isUnmappable(made) && made.issues.map(({ message }) => message);

test('inputs are mapped by the version in force at their time, of their tenant only, and written as canonical JSON', async () => {
  const of = mappings(
    moved,
    {
      inputs: [
        { from: '/b', to: '/c' },
        { from: '/a', to: '/b' },
      ],
      mode: 'permissive',
    },
    null,
  );
  expect(of.inputs('acme', call(9), '{}')).toBeUndefined();
  expect(of.inputs('other', call(15), '{}')).toBeUndefined();
  expect(of.inputs('acme', call(30), '{}')).toBeUndefined();
  expect(await of.inputs('acme', call(10), '{"b":1}')).toMatchObject({ inputs_json: '{"a":1}', mapping_version: 1, permissive: false });
  expect(await of.inputs('acme', call(20), '{"a":2,"b":1,"z":0}')).toMatchObject({
    inputs_json: '{"b":2,"c":1,"z":0}',
    permissive: true,
    warnings: ['/z is not mapped and was passed on as it is'],
  });
});

test('other inputs of a call use the version with which its own were mapped, whatever is in force now', async () => {
  const of = mappings(moved, { inputs: [] });
  const mapped: MappedInputs = { inputs_json: '{}', inputs_digest: '', mapping_version: 1, permissive: true, warnings: [] };
  expect(await of.otherInputs('acme', { ...call(99), mapped }, '{"b":1,"z":2}')).toMatchObject({
    inputs_json: '{"a":1,"z":2}',
    mapping_version: 1,
  });
  const unknown = await of.otherInputs('acme', { ...call(99), mapped: { ...mapped, mapping_version: 9 } }, '{}');
  expect(issues(unknown)).toEqual(['this process does not know the version of the mapping']);
  expect(of.of('acme', 'pay', mapped)).toBeDefined();
  expect(of.of('acme', 'pay', { ...mapped, mapping_version: 9 })).toBeUndefined();
});

test('inputs that a mapping does not accept, cannot write or makes too large are unmappable, and nothing throws', async () => {
  expect(issues(await mappings(moved).inputs('acme', call(10), '{"z":1}'))).toEqual(['is not mapped']);
  const surrogate = { inputs: [{ to: '/a', default: '\ud800' }] };
  expect(issues(await mappings(surrogate).inputs('acme', call(10), '{}'))).toEqual([expect.stringContaining('is not valid')]);
  const large = {
    inputs: [
      { from: '/a', to: '/a' },
      { from: '/b', to: '/b' },
    ],
    mode: 'permissive' as const,
  };
  const text = JSON.stringify({ a: 'x'.repeat(600_000), b: 'y'.repeat(600_000) });
  expect(issues(await mappings(large).inputs('acme', call(10), text))).toEqual([expect.stringContaining('larger than 1048576 bytes')]);
  expect(issues(await mappings({ inputs: [{ to: '/a', value: '(((' }] }).inputs('acme', call(10), '{}'))).toHaveLength(1);
});
