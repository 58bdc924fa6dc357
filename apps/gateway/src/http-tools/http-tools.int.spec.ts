import type { Caller, Refusal } from '@countersign/calls';
import { httpToolsOf, tenantPart } from '@countersign/domain';
import { AddressRules } from '@countersign/outbound';
import { SealedSecrets } from '@countersign/process';
import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { httpToolRequest } from './http-tools.schemas.js';
import { HTTP_TOOLS_MAX, HttpToolsService } from './http-tools.service.js';

const secrets = new SealedSecrets({ tenantKey: (tenant_id) => Buffer.alloc(32, tenant_id) }, 'tool-endpoint-secret');
const configuration = MemoryConfiguration.service();
const service = new HttpToolsService(configuration, AddressRules.forToolEndpoints(new Set()), secrets);
const caller = { tenant_id: 'acme', principal: { kind: 'user', id: 'tess', roles: ['tool_author'] } } as unknown as Caller;
const object = { type: 'object', additionalProperties: false, properties: {} };
const body = (version: string, more: object = {}) =>
  httpToolRequest.parse({
    name: 'read_invoice',
    version,
    title: 'Read an invoice',
    description: 'Reads an invoice by its id and gives its amount.',
    category: 'billing',
    endpoint: 'https://tools.example.com/',
    effect_class: 'read_external',
    input_schema: object,
    output_schema: object,
    ...more,
  });
const register = (version: string, more: object = {}) => service.register(caller, body(version, more), { headers: { prefer: 'wait=0' } });

test('a secret is recorded sealed, for its tenant and version alone', async () => {
  const made = await register('1.0.0');
  if (!('body' in made)) throw new Error(JSON.stringify(made));
  const { signing_secret, lifecycle } = made.body;
  expect([signing_secret, lifecycle]).toEqual([expect.stringMatching(/^whsec_/), null]);
  const [tool] = [...httpToolsOf(configuration.state, 'acme').values()];
  expect(JSON.stringify(tool)).not.toContain(signing_secret);
  const sealed = tool?.secret_sealed ?? '';
  expect(secrets.open('acme', 'read_invoice@1.0.0', sealed)).toBe(signing_secret);
  expect(secrets.open('acme', 'read_invoice@1.0.1', sealed)).toBeUndefined();
  expect(secrets.open('umbra', 'read_invoice@1.0.0', sealed)).toBeUndefined();
  expect(new SealedSecrets({ tenantKey: () => Buffer.alloc(32, 'acme') }).open('acme', 'read_invoice@1.0.0', sealed)).toBeUndefined();
}, 20_000);

describe('a name is refused that', () => {
  const taken = { kind: 'conflict', more: { reason: 'tool_name_taken' } };
  beforeEach(() => {
    const part = tenantPart(configuration.state, 'acme');
    const upstream = (name: string, place: object | null) => [name, { name, place }] as const;
    part.upstreams = new Map([upstream('files', { kind: 'http' }), upstream('old', null)]) as unknown as typeof part.upstreams;
    const tools = new Map([['shop__get_item@1.0.0', { name: 'shop__get_item', import: 'shop' }]]);
    part.openapi = { imports: new Map(), tools, chars: 0 } as unknown as typeof part.openapi;
  });

  test.each(['files__read_file', 'files__', 'files__a__b', 'shop__get_item'])(
    'a tool of an upstream would have, or one of an import has: %s',
    async (name) => {
      expect(await register('1.0.0', { name })).toMatchObject(taken);
    },
  );

  test('and none else', async () => {
    const names = ['files', 'files_read', 'old__read', 'shop__other', 'my_files__read'];
    const answers = await Promise.all(names.map((name) => register('1.0.0', { name })));
    expect(answers.map((answer) => 'body' in answer && answer.body.name)).toEqual(names);
  }, 20_000);
});

test('a tenant has a bounded number of versions, and may still change those that it has', async () => {
  const part = tenantPart(configuration.state, 'acme');
  const [known] = [...(part.http_tools?.values() ?? [])];
  if (!known) throw new Error('no tool is registered');
  while ((part.http_tools?.size ?? 0) < HTTP_TOOLS_MAX) part.http_tools?.set(`other@${part.http_tools.size}.0.0`, known);
  expect((await register('2.0.0')) as Refusal).toMatchObject({ kind: 'conflict', more: { reason: 'http_tool_limit_reached' } });
  expect(await register('1.0.0', { rotate_secret: true })).toHaveProperty('body.signing_secret', expect.stringMatching(/^whsec_/));
}, 20_000);
