import { type Caller, Refusal } from '@countersign/calls';
import {
  decideListing,
  evolveConfiguration,
  listedDefinition,
  listingOf,
  type PlacedEvent,
  tenantPart,
  upstreamOf,
} from '@countersign/domain';
import { AddressRules } from '@countersign/outbound';
import { beforeEach, describe, expect, test } from 'vitest';
import type { WithHeaders } from '../answers/with-headers.js';
import type { Page } from '../lists/page-query.js';
import { prefixFault } from '../openapi-imports/import-limits.js';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { ClassificationsService } from './classifications.service.js';
import { UpstreamPlaces } from './upstream-places.js';
import { classificationRequest, type UpstreamToolAnswer, upstreamRequest } from './upstreams.schemas.js';
import { UpstreamsService } from './upstreams.service.js';

const caller = { tenant_id: 'acme', principal: { kind: 'user', id: 'olga', roles: ['operator'] } } as unknown as Caller;
const AT_ONCE = { headers: { prefer: 'wait=0' } };
const PAGE = { limit: 100 };
const URL = 'https://files.example/mcp';
const string = { type: 'string' };
const schema = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, string])),
  required: names,
  additionalProperties: false,
});
const definition = (name: string, more: object = {}) => ({
  name,
  title: '',
  description: `Does ${name}.`,
  input_schema: schema('name', 'note'),
  output_schema: { type: 'object', properties: { structured: {} } },
  annotations: {},
  flags: [],
  ...more,
});

let configuration: ReturnType<typeof MemoryConfiguration.service>;
let upstreams: UpstreamsService;
let classifications: ClassificationsService;

beforeEach(() => {
  configuration = MemoryConfiguration.service();
  upstreams = new UpstreamsService(configuration, new UpstreamPlaces(AddressRules.forToolEndpoints(new Set()), new Set(['everything'])));
  classifications = new ClassificationsService(configuration);
});

const set = (body: object, name = 'files', headers: Record<string, string> = {}) =>
  upstreams.set(caller, name, upstreamRequest.parse(body), { headers: { ...AT_ONCE.headers, ...headers } });

/** An executor lists the upstream. */
function lists(...definitions: ReturnType<typeof definition>[]): void {
  const { state } = configuration;
  const { revision, place_revision } = upstreamOf(state, 'acme', 'files') ?? { revision: 0, place_revision: 0 };
  const result = {
    kind: 'complete' as const,
    definitions: definitions.map(listedDefinition),
    refused: [],
    server: 'files 1',
    protocol_version: '1',
  };
  const seen = { upstream: 'files', revision, place_revision, listed_at_ms: 1_000, executor_id: 'e', result };
  const records = decideListing(listingOf(state, 'acme', 'files'), seen, { tools: 100, chars: 1_000_000 });
  const fold = (event_type: string, fields: object) => {
    const at = { topic: 'tool-registered', partition: 0, offset: state.catalog_offset + 1, timestamp_ms: 0 };
    evolveConfiguration(state, { event_type, event: { meta: { tenant_id: 'acme' }, ...fields }, ...at } as unknown as PlacedEvent);
  };
  for (const each of records?.definitions ?? []) fold('upstream_tool_listed', each);
  if (records) fold('upstream_listed', records.listed);
}

async function classify(...tools: object[]) {
  const page = upstreams.tools('acme', 'files', PAGE);
  const digests =
    page instanceof Refusal ? new Map() : new Map(page.body.items.map(({ tool, pinned, listed }) => [tool, (listed ?? pinned)?.digest]));
  const body = classificationRequest.parse({
    tools: tools.map((each) => ({ digest: digests.get((each as { tool: string }).tool), ...each })),
  });
  return classifications.classify(caller, 'files', body, AT_ONCE);
}

const issuesOf = (answer: unknown) =>
  ((answer as Refusal).more?.issues as { path: string }[] | undefined)?.map(({ path }) => path) ?? JSON.stringify(answer);

describe('an upstream is set', () => {
  test('at an allowed address or by a known command, with an ETag and its revisions', async () => {
    const made = await set({ url: URL });
    expect(made).toMatchObject({ body: { revision: 1, url: URL, command: null }, headers: { etag: expect.stringMatching(/^"c/) } });
    expect(await set({ command: 'everything' }, 'tools')).toMatchObject({ body: { command: 'everything', url: null } });
    expect(await set({ url: URL, timeout_ms: 5_000 })).toMatchObject({ body: { revision: 2, timeout_ms: 5_000 } });
    expect(upstreams.revisions('acme', 'files')).toMatchObject({ items: [{ revision: 2 }, { revision: 1 }] });
    expect(upstreams.list('acme', PAGE).items.map(({ name, health }) => [name, health.state])).toEqual([
      ['files', 'not_listed'],
      ['tools', 'not_listed'],
    ]);
    expect(await set({ url: URL }, 'files', { 'if-match': '"c0"' })).toMatchObject({ kind: 'precondition-failed' });
  });

  test.each<[string, object, string]>([
    ['at a private address', { url: 'https://10.0.0.1/mcp' }, '/url'],
    ['at an address of metadata', { url: 'http://169.254.169.254/' }, '/url'],
    ['with a password in its address', { url: 'https://a:b@files.example/' }, '/url'],
    ['by a command that the installation does not have', { command: 'bash' }, '/command'],
    ['by a command with a bearer token', { command: 'everything', credentials: [{ secret: 'Token' }] }, '/credentials'],
    ['at an address with variables', { url: URL, credentials: [{ secret: 'Token', env: 'TOKEN' }] }, '/credentials'],
  ])('and never %s', async (_title, body, path) => expect(issuesOf(await set(body))).toEqual([path]));

  test('and never under a name with other characters, nor with an argv', async () => {
    expect(issuesOf(await set({ url: URL }, 'my_files'))).toEqual(['/name']);
    expect(upstreamRequest.safeParse({ command: 'everything', argv: ['sh'] }).success).toBe(false);
    expect(upstreamRequest.safeParse({ url: URL, command: 'everything' }).success).toBe(false);
  });

  test('and never under a name whose prefix tools at endpoints or of an import have', async () => {
    const part = tenantPart(configuration.state, 'acme');
    part.http_tools = new Map([['files__read@1.0.0', { name: 'files__read' }]]) as unknown as typeof part.http_tools;
    part.openapi = { imports: new Map([['shop', {}]]), tools: new Map(), chars: 0 } as unknown as typeof part.openapi;
    const taken = { kind: 'conflict', more: { reason: 'tool_name_taken' } };
    expect(await set({ url: URL }, 'files')).toMatchObject(taken);
    expect(await set({ url: URL }, 'shop')).toMatchObject(taken);
    expect(await set({ url: URL }, 'file')).toHaveProperty('body.revision', 1);
    expect(prefixFault(configuration.state, 'acme', 'file')).toMatchObject(taken);
    expect(prefixFault(configuration.state, 'acme', 'shop')).toBeUndefined();
    expect(prefixFault(configuration.state, 'umbra', 'file')).toBeUndefined();
  });

  test('at most 20 times in a tenant, and under 100 names with removed ones', async () => {
    for (let at = 0; at < 20; at++) await set({ url: URL }, `up${at}`);
    const full = { kind: 'conflict', more: { reason: 'upstream_limit_reached' } };
    expect(await set({ url: URL }, 'more')).toMatchObject(full);
    for (let at = 0; at < 81; at++) {
      expect(await upstreams.remove(caller, `up${at}`, AT_ONCE)).toBeUndefined();
      if (at < 80) await set({ url: URL }, `up${at + 20}`);
    }
    expect(await set({ url: URL }, 'more')).toMatchObject(full);
    expect(await set({ url: URL }, 'up0')).toMatchObject({ body: { revision: 3 } });
  });
});

describe('a tool is classified', () => {
  beforeEach(async () => {
    await set({ url: URL });
    lists(definition('add'), definition('find', { annotations: { read_only: true, open_world: false } }));
  });
  const reconcile = {
    tool: 'find',
    inputs: { name: { from: '/inputs/name' }, note: { literal: 'x' } },
    matches: 'output.structured == inputs.name',
  };

  test('hints are only a suggestion', () => {
    const page = upstreams.tools('acme', 'files', PAGE);
    expect((page as WithHeaders<object>).body).toMatchObject({
      items: [
        { tool: 'add', effect_class: 'commit_high', suggestion: { effect_class: 'commit_high' } },
        { tool: 'find', effect_class: 'commit_high', state: 'unclassified', suggestion: { effect_class: 'read_internal' } },
      ],
    });
  });

  test('many at once, a write with a read of the same request', async () => {
    const answer = await classify({ tool: 'add', effect_class: 'commit_low', reconcile }, { tool: 'find', effect_class: 'read_internal' });
    expect(answer).toMatchObject({
      items: [
        { tool: 'add', version: '1.0.0', state: 'active' },
        { tool: 'find', version: '1.0.0', state: 'active' },
      ],
    });
  });

  test('the same again changes nothing; other words are a patch, another class a major', async () => {
    const read = { tool: 'find', effect_class: 'read_internal' };
    await classify(read);
    const { config_offset } = configuration.state;
    expect(await classify(read)).toMatchObject({ items: [{ version: '1.0.0' }] });
    expect(configuration.state.config_offset).toBe(config_offset);
    lists(definition('add'), definition('find', { description: 'Finds it in another way.' }));
    expect(await classify(read)).toMatchObject({ items: [{ version: '1.0.1', state: 'active' }] });
    expect(await classify({ tool: 'find', effect_class: 'commit_low' })).toMatchObject({ items: [{ version: '2.0.0' }] });
  });

  test('as pinned where the operator refuses the listed definition, under the same version', async () => {
    const read = { tool: 'find', effect_class: 'read_internal' };
    await classify(read);
    lists(definition('add'), definition('find', { description: 'Finds it in another way.' }));
    const item = () => (upstreams.tools('acme', 'files', { ...PAGE, tool: 'find' }) as WithHeaders<Page<UpstreamToolAnswer>>).body.items[0];
    const { pinned, listed, state } = item() ?? {};
    expect(state).toBe('pending_change');
    const both = { ...read, digest: pinned?.digest, refused_digest: listed?.digest };
    expect(issuesOf(await classify({ ...both, refused_digest: '0'.repeat(64) }))).toEqual(['/tools/0/refused_digest']);
    expect(issuesOf(await classify({ ...both, digest: listed?.digest }))).toEqual(['/tools/0/refused_digest']);
    expect(await classify(both)).toMatchObject({ items: [{ version: '1.0.0', state: 'active' }] });
    expect(item()).toMatchObject({ state: 'active', listed: { digest: listed?.digest }, overlay: { refused_digest: listed?.digest } });
  });

  test('and listed by its exact name or by its state, with their numbers at the upstream', () => {
    const names = (query: object) =>
      (upstreams.tools('acme', 'files', { ...PAGE, ...query }) as WithHeaders<Page<UpstreamToolAnswer>>).body.items.map(({ tool }) => tool);
    expect([names({ tool: 'find' }), names({ tool: 'fin' }), names({ state: 'unclassified' }), names({ state: 'gone' })]).toEqual([
      ['find'],
      [],
      ['add', 'find'],
      [],
    ]);
    expect(upstreams.list('acme', PAGE)).toMatchObject({ items: [{ tools: 2, tools_in_state: { unclassified: 2, gone: 0 } }] });
    expect(upstreams.commands()).toEqual({ items: [{ name: 'everything' }], next_cursor: null });
  });

  test('by the definition that the operator looked at, and not by one that came since', async () => {
    const answer = await classify({ tool: 'find', digest: '0'.repeat(64), effect_class: 'read_internal' });
    expect(issuesOf(answer)).toEqual(['/tools/0/digest']);
  });

  test('after its upstream moved, only by what the new place lists', async () => {
    await classify({ tool: 'find', effect_class: 'read_internal' });
    const page = upstreams.tools('acme', 'files', PAGE);
    const digest = page instanceof Refusal ? '' : page.body.items.find(({ tool }) => tool === 'find')?.pinned?.digest;
    await set({ url: 'https://elsewhere.example/mcp' });
    expect(issuesOf(await classify({ tool: 'find', digest, effect_class: 'read_internal' }))).toEqual(['/tools/0/digest']);
    lists(definition('find', { annotations: { read_only: true, open_world: false } }));
    expect(await classify({ tool: 'find', digest, effect_class: 'read_internal' })).toMatchObject({
      items: [{ version: '2.0.0', state: 'active' }],
    });
  });

  test.each<[string, object, string[]]>([
    ['a tool that is not there', { tool: 'none', digest: '0'.repeat(64), effect_class: 'pure' }, ['/tools/0/tool']],
    ['inputs that it does not have', { tool: 'add', effect_class: 'commit_low', discriminating: ['other'] }, ['/tools/0/discriminating']],
    ['a reconcile by a tool that is no read', { tool: 'add', effect_class: 'commit_low', reconcile }, ['/tools/0/reconcile/tool']],
    [
      'a reconcile of a read',
      { tool: 'find', effect_class: 'pure', reconcile: { ...reconcile, tool: 'add' } },
      ['/tools/0/reconcile', '/tools/0/reconcile/tool'],
    ],
    [
      'a resource by no input',
      { tool: 'add', effect_class: 'commit_low', resources: [{ name: 'a:{/no}', effect: 'adds' }] },
      ['/tools/0/resources'],
    ],
    ['an alias of a write', { tool: 'add', effect_class: 'commit_low', alias: { ttl_ms: 1_000 } }, ['/tools/0/alias']],
    ['a laxer tier', { tool: 'add', effect_class: 'commit_high', tier: 'tier_1_auto' }, ['/tools/0/tier']],
    ['a key in an input that is not there', { tool: 'add', effect_class: 'commit_low', key_input: 'key' }, ['/tools/0/key_input']],
    [
      'a compensation by no tool',
      { tool: 'add', effect_class: 'commit_low', compensation: { tool: 'no', inputs: {} } },
      ['/tools/0/compensation/tool'],
    ],
  ])('and is refused %s', async (_title, tool, paths) => expect(issuesOf(await classify(tool))).toEqual(paths));

  test('an alias is shown, and refused where a registered tool has its name', async () => {
    const read = { tool: 'find', effect_class: 'read_internal', alias: { ttl_ms: 60_000 } };
    expect(await classify(read)).toMatchObject({ items: [{ version: '1.0.0' }] });
    expect(upstreams.read('acme', 'files')).toMatchObject({ body: { tools: [{ alias: null }, { alias: 'mcp_files_find' }] } });
    configuration.state.tools.set('mcp_files_find', []);
    expect(issuesOf(await classify({ ...read, alias: { ttl_ms: 1_000 } }))).toEqual(['/tools/0/alias']);
  });

  test('at most 50 tools of a tenant have an alias', async () => {
    const names = Array.from({ length: 51 }, (_, at) => `t${at}`);
    lists(...names.map((name) => definition(name)));
    const answer = await classify(...names.map((tool) => ({ tool, effect_class: 'pure', alias: { ttl_ms: 60_000 } })));
    const problems = (answer as { items: { problem: string | null }[] }).items.filter(({ problem }) => problem !== null);
    expect(problems).toMatchObject([{ problem: expect.stringContaining('at most 50 aliases') }]);
  });

  test('a complete reconcile needs a final settle time', async () => {
    const complete = { ...reconcile, is_complete: true };
    const read = { tool: 'find', effect_class: 'read_internal' };
    expect(issuesOf(await classify({ tool: 'add', effect_class: 'commit_low', reconcile: complete }, read))).toEqual([
      '/tools/0/settle_ms',
      '/tools/0/settle_is_final',
    ]);
    const final = { settle_ms: 1_000, settle_is_final: true };
    expect(await classify({ tool: 'add', effect_class: 'commit_low', reconcile: complete, ...final }, read)).toHaveProperty('items');
  });

  test('one fault refuses all', async () => {
    const answer = await classify(
      { tool: 'find', effect_class: 'read_internal' },
      { tool: 'add', effect_class: 'commit_low', discriminating: ['no'] },
    );
    expect(issuesOf(answer)).toEqual(['/tools/1/discriminating']);
    expect(upstreams.read('acme', 'files')).toMatchObject({ body: { tools: [{ is_classified: false }, { is_classified: false }] } });
  });
});
