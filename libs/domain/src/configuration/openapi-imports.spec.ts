import type { EventMap } from '@countersign/contracts';
import { expect, test } from 'vitest';
import type { PlacedEvent } from '../call/evolve.js';
import { evolveConfiguration } from './evolve.js';
import { newestOpenApiTools, openApiImportsOf } from './kinds/openapi-imports.js';
import { initialConfiguration } from './state/configuration.js';

const by = { kind: 'user' as const, id: 'tess', roles: ['tool_author'] };
type Tool = Omit<EventMap['openapi_tool_set'], 'meta' | 'based_on'>;
const tool = (version: string, more: Partial<Tool> = {}): Tool => ({
  ...{ tool: 'shop__get_a', version, import: 'shop', operation: 'GET /a', contract_json: '{"a":1}', binding_json: '{}' },
  ...{ content_digest: version, by, changed_at_ms: 1, ...more },
});

class Folded {
  readonly state = initialConfiguration();
  private offset = 0;

  fold(event_type: string, fields: object, tenant_id = 'acme'): this {
    const placed = {
      event_type,
      event: { meta: { tenant_id }, ...fields },
      topic: 'configuration-changed',
      partition: 0,
      offset: this.offset++,
      timestamp_ms: 1,
    };
    evolveConfiguration(this.state, placed as unknown as PlacedEvent);
    return this;
  }
}

test('the first record of a version counts: a version never changes its meaning', () => {
  const { state } = new Folded()
    .fold('openapi_tool_set', tool('1.0.0'))
    .fold('openapi_tool_set', tool('1.0.0', { contract_json: '{"b":2}' }));
  const known = openApiImportsOf(state, 'acme');
  expect([...known.tools.values()]).toMatchObject([{ contract_json: '{"a":1}' }]);
  expect(known.chars).toBe('{"a":1}{}'.length);
});

test('the newest version of each tool of an import is found, and none of another tenant', () => {
  const folded = new Folded()
    .fold('openapi_tool_set', tool('1.0.0'))
    .fold('openapi_tool_set', tool('1.1.0'))
    .fold('openapi_tool_set', tool('9.0.0', { import: 'other', tool: 'other__get_a' }))
    .fold('openapi_tool_set', tool('2.0.0'), 'umbra');
  const newest = newestOpenApiTools(folded.state, 'acme', 'shop');
  expect([...newest.values()].map(({ name, version }) => `${name}@${version}`)).toEqual(['shop__get_a@1.1.0']);
  expect(openApiImportsOf(folded.state, 'nobody').tools.size).toBe(0);
});

test('the tools of an import are imported by its record: all that it lists, and no other', () => {
  const folded = new Folded()
    .fold('openapi_tool_set', tool('1.0.0'))
    .fold('openapi_tool_set', tool('1.0.0', { tool: 'shop__left_over' }))
    .fold('openapi_tool_set', tool('1.0.0', { tool: 'other__get_a', import: 'other' }));
  const imported = () =>
    [...openApiImportsOf(folded.state, 'acme').tools.values()].filter((one) => one.is_imported).map(({ name }) => name);
  expect(imported()).toEqual([]);
  const listed = ['shop__get_a', 'other__get_a'].map((name) => ({ name, version: '1.0.0' }));
  const fields = { import: 'shop', title: 'Shop', document_version: '1', document_digest: 'd', base_url: 'https://a.example.com' };
  const more = { options_json: '{}', by, changed_at_ms: 1, based_on: 0 };
  folded.fold('openapi_import_set', { ...fields, ...more, report_json: JSON.stringify({ tools: listed }) });
  expect(imported()).toEqual(['shop__get_a']);
});

test('an import replaces the one of its name, and is an item of its tenant that other edits can conflict with', () => {
  const fields = {
    import: 'shop',
    title: 'Shop',
    document_version: '1',
    document_digest: 'd',
    base_url: 'https://a.example.com',
    options_json: '{}',
    report_json: '{}',
    by,
    changed_at_ms: 1,
  };
  const { state } = new Folded().fold('openapi_import_set', fields).fold('openapi_import_set', { ...fields, title: 'Shop 2' });
  expect([...openApiImportsOf(state, 'acme').imports.values()].map(({ title }) => title)).toEqual(['Shop 2']);
});
