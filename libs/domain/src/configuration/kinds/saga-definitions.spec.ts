import { type EventMap, sha256Hex } from '@countersign/contracts';
import { expect, test } from 'vitest';
import type { PlacedEvent } from '../../call/evolve.js';
import { evolveConfiguration } from '../evolve.js';
import { type ConfigurationState, initialConfiguration } from '../state/configuration.js';
import { sagaDefinitionsOf, sagaDefinitionVersions } from './saga-definitions.js';

const by = { kind: 'user' as const, id: 'ann', roles: ['policy_admin'] };
const set = (version: string, definition_json = '{}', tenant_id = 'acme') => ({
  ...{ meta: { tenant_id, event_id: version }, name: 'trip', version, definition_json, digest: 'said', by, published_at_ms: 1 },
});

function folded(...events: ReturnType<typeof set>[]): ConfigurationState {
  return events.reduce((state, event, offset) => {
    const place = { topic: 'configuration-changed', partition: 0, offset, timestamp_ms: offset };
    const given = event as unknown as EventMap['saga_definition_set'];
    return evolveConfiguration(state, { event_type: 'saga_definition_set', event: given, ...place } as PlacedEvent);
  }, initialConfiguration());
}

test('the first of a version counts, and its digest is computed from its text', () => {
  const [only, ...rest] = sagaDefinitionVersions(folded(set('1.0.0', '{"a":1}'), set('1.0.0', '{"a":2}')), 'acme', 'trip');
  expect(only).toMatchObject({ definition_json: '{"a":1}', digest: sha256Hex('{"a":1}'), by, published_at_ms: 1 });
  expect(rest).toEqual([]);
});

test('versions are listed newest first, releases before prereleases', () => {
  const state = folded(set('1.2.0'), set('1.10.0'), set('2.0.0-beta'));
  expect(sagaDefinitionVersions(state, 'acme', 'trip').map(({ version }) => version)).toEqual(['1.10.0', '1.2.0', '2.0.0-beta']);
});

test('a tenant has its own', () => {
  const state = folded(set('1.0.0', '{}', 'rival'));
  expect([sagaDefinitionsOf(state, 'acme').size, sagaDefinitionsOf(state, 'rival').size]).toEqual([0, 1]);
  expect(sagaDefinitionVersions(state, 'acme', 'trip')).toEqual([]);
});
