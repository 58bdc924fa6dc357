import { Controller, Post } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { takeYaml } from '../bounds/yaml-bodies.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { Roles } from '../http/access.decorator.js';
import { NoAnswer } from '../http/answer.decorator.js';
import { RequestAccess } from '../http/request-access.js';
import { FeatureApp } from '../testing/feature-app.js';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { bookingTool, registerTools } from '../testing/registered-tools.js';
import { SagaDefinitionsModule } from './saga-definitions.module.js';
import { DEFINITIONS_MAX, TOTAL_CHARS_MAX, VERSIONS_MAX } from './saga-definitions.service.js';

/** A route that takes JSON alone. */
@Controller('v1/plain')
class PlainController {
  @Post()
  @Roles()
  @NoAnswer()
  post(): undefined {
    return undefined;
  }
}

let app: FeatureApp;
let configuration: ConfigurationService;
beforeAll(async () => {
  configuration = MemoryConfiguration.service();
  registerTools(configuration, bookingTool('book'), bookingTool('note', { has_compensate: false }));
  const provided = [{ provide: ConfigurationService, useValue: configuration }];
  app = await FeatureApp.open([SagaDefinitionsModule, { module: class PlainModule {}, controllers: [PlainController] }], provided);
  takeYaml(app.nest.getHttpAdapter().getInstance(), (_request, _bytes, handle) => handle(), app.nest.get(RequestAccess));
}, 60_000);
afterAll(() => app.close());
beforeEach(() => configuration.state.by_tenant.get('acme')?.saga_definitions?.clear());

const step = (name: string, tool = name, more: object = {}) => ({
  ...{ kind: 'step', name, use: { tool, version: '^1.0.0', inputs: { id: { from: '/inputs/id' } } } },
  ...more,
});
const input_schema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const trip = (more: object = {}) => ({ name: 'trip', version: '1.0.0', wait_max_ms: 1000, input_schema, root: step('book'), ...more });
const at = (version = '1.0.0', name = 'trip') => `/v1/saga-definitions/${name}/versions/${version}`;
const put = (body: unknown, url = at(), role = 'policy_admin') => app.send('PUT', url, { role, body });
const check = (body: unknown, role = 'policy_admin') => app.send('POST', '/v1/saga-definitions:check', { role, body });
const get = (url: string) => app.send('GET', url, { role: 'agent' });
const places = (issues: { step: string | null; path: string }[]) => issues.map(({ step: name, path }) => `${name} ${path}`);

test('a token is needed, and the role policy_admin to publish', async () => {
  expect((await app.send('GET', '/v1/saga-definitions')).status).toBe(401);
  expect((await put(trip(), at(), 'operator')).status).toBe(403);
  expect((await check(trip(), 'agent')).status).toBe(403);
});

describe('a published version', () => {
  test('is read by name, by version, in the list and as a chart', async () => {
    const made = await put(trip());
    expect([made.status, made.headers.location, made.body.warnings]).toEqual([201, at(), []]);
    expect(made.body.published_by).toEqual({ kind: 'user', id: 'policy_admin' });
    const { digest } = made.body;
    expect((await get(at())).body).toMatchObject({ name: 'trip', version: '1.0.0', digest, definition: trip() });
    expect((await get('/v1/saga-definitions/trip')).body).toMatchObject({ version: '1.0.0', versions: ['1.0.0'], definition: trip() });
    expect((await get('/v1/saga-definitions')).body.items).toMatchObject([{ name: 'trip', version: '1.0.0', versions: ['1.0.0'], digest }]);
    const chart = await get(`${at()}/chart`);
    expect([chart.status, chart.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(chart.headers['x-content-type-options']).toBe('nosniff');
    expect(chart.text).toContain('flowchart TD');
  });

  test('never changes: the same content again is 200, other content is 409', async () => {
    const { body } = await put(trip());
    const { root, ...rest } = trip();
    const again = await put({ root, ...rest });
    expect([again.status, again.body.digest, again.body.published_at]).toEqual([200, body.digest, body.published_at]);
    const other = await put(trip({ wait_max_ms: 2000 }));
    expect([other.status, other.body.reason]).toEqual([409, 'saga_definition_version_taken']);
    expect(other.body.detail).toContain(body.digest);
  });

  test('the newest is the highest release, whatever the order of publication', async () => {
    for (const version of ['1.10.0', '2.0.0-rc.1', '1.9.0']) expect((await put(trip({ version }), at(version))).status).toBe(201);
    const { body } = await get('/v1/saga-definitions/trip');
    expect([body.version, body.versions]).toEqual(['1.10.0', ['1.10.0', '1.9.0', '2.0.0-rc.1']]);
  });

  test('what does not exist is 404', async () => {
    expect((await get('/v1/saga-definitions/trip')).body.reason).toBe('saga_definition_not_found');
    await put(trip());
    for (const url of [at('2.0.0'), `${at('2.0.0')}/chart`])
      expect([(await get(url)).status, (await get(url)).body.reason]).toEqual([404, 'saga_definition_version_not_found']);
  });
});

test('two publications of one version at a time: one is recorded, and equal ones are one', async () => {
  const [one, other] = await Promise.all([put(trip()), put(trip({ wait_max_ms: 2000 }))]);
  expect([one.status, other.status].sort()).toEqual([201, 409]);
  const equal = await Promise.all(Array.from({ length: 5 }, () => put(trip({ version: '1.1.0' }), at('1.1.0'))));
  expect(new Set(equal.map(({ body }) => body.published_at)).size).toBe(1);
  expect(equal.filter(({ status }) => status === 201).length).toBe(1);
});

test('names that are members of every object are names like others', async () => {
  for (const name of ['__proto__', 'constructor', 'toString']) expect((await get(`/v1/saga-definitions/${name}`)).status).toBe(404);
  const root = {
    kind: 'sequence',
    blocks: [step('constructor', 'book'), step('b', 'book', { when: 'steps.constructor.output.id == "x"' })],
  };
  const made = await put(trip({ name: 'constructor', root }), at('1.0.0', 'constructor'));
  expect([made.status, (await get(at('__proto__', 'constructor'))).status]).toEqual([201, 404]);
});

describe('a definition that is refused', () => {
  test('has every fault by step and pointer, and is not recorded', async () => {
    const root = {
      kind: 'sequence',
      blocks: [
        step('a', 'boook'),
        step('b', 'book', { when: 'steps.c.output.id == "x"' }),
        step('c', 'book', { use: { tool: 'book', version: '^1.0.0', inputs: { id: { expression: '(' } } } }),
      ],
    };
    const { status, body } = await put(trip({ root }));
    expect([status, body.type, body.faults]).toEqual([422, 'urn:countersign:problem:invalid-saga-definition', 3]);
    expect(places(body.validation.issues)).toEqual([
      'a /root/blocks/0/use/tool',
      'b /root/blocks/1/when',
      'c /root/blocks/2/use/inputs/id/expression',
    ]);
    expect((await get('/v1/saga-definitions/trip')).status).toBe(404);
  });

  test('names the step of a field that does not belong there', async () => {
    const { status, body } = await put(
      trip({ root: { kind: 'sequence', blocks: [{ ...step('a', 'book'), retries: 3 }] }, wait_max_ms: 0 }),
    );
    expect(status).toBe(422);
    expect(places(body.validation.issues).sort()).toEqual(['a /root/blocks/0/retries', 'null /wait_max_ms']);
  });

  test('says its own name and version', async () => {
    const { status, body } = await put(trip(), at('1.0.1', 'travel'));
    expect([status, places(body.validation.issues)]).toEqual([422, ['null /name', 'null /version']]);
    expect((await put(trip({ version: '1.0' }), at('1.0'))).status).toBe(422);
  });

  test('is longer than 64 KiB', async () => {
    const input = { ...input_schema, description: 'x'.repeat(66_000) };
    const { status, body } = await put(trip({ input_schema: input }));
    expect([status, body.detail]).toEqual([422, expect.stringContaining('at most 65536')]);
  });
});

describe('a check', () => {
  test('answers all faults and warnings and records nothing', async () => {
    const { status, body } = await check(trip({ root: { kind: 'sequence', blocks: [step('note'), step('x', 'nothing')] } }));
    expect([status, body.publishable]).toEqual([200, false]);
    expect(body.faults).toEqual([{ step: 'x', pointer: '/root/blocks/1/use/tool', message: expect.stringContaining('no tool nothing') }]);
    expect(body.warnings).toMatchObject([{ step: 'note', pointer: '/root/blocks/0' }]);
    expect((await get('/v1/saga-definitions')).body.items).toEqual([]);
  });

  test('says that a version is taken by other content', async () => {
    await put(trip());
    expect((await check(trip())).body.publishable).toBe(true);
    expect((await check(trip({ wait_max_ms: 2 }))).body).toMatchObject({ publishable: false, faults: [] });
  });
});

describe('a body in YAML', () => {
  const yaml = `
# one step
name: trip
version: 1.0.0
wait_max_ms: 1000
input_schema: {type: object, properties: {id: {type: string}}, required: [id]}
root:
  kind: step
  name: book
  use:
    tool: book
    version: ^1.0.0
    inputs:
      id: {from: /inputs/id}
`;
  const send = (method: string, url: string, body: string, type = 'application/yaml') =>
    app.send(method, url, { role: 'policy_admin', body, headers: { 'content-type': type } });

  test('is the same definition as in JSON', async () => {
    const { body } = await check(trip());
    const made = await send('PUT', at(), yaml, 'application/yaml; charset=utf-8');
    expect([made.status, made.body.digest]).toEqual([201, body.digest]);
    expect((await put(trip())).status).toBe(200);
  });

  test('has its faults by step and pointer, and by line where it cannot be read', async () => {
    const { status, body } = await send('POST', '/v1/saga-definitions:check', yaml.replace('^1.0.0', '^1'));
    expect([status, body.faults]).toMatchObject([200, [{ step: 'book', pointer: '/root/use/version' }]]);
    const broken = await send('PUT', at(), `${yaml}  also: [`);
    expect([broken.status, broken.body.type]).toEqual([400, 'urn:countersign:problem:malformed-body']);
    expect((await send('PUT', at(), yaml.replace('[id]', '&x [id]'))).body.detail).toContain('line 6: anchors are not taken');
  });

  test('is accepted where it is declared, up to 16 KiB, in UTF-8', async () => {
    expect((await send('POST', '/v1/plain', yaml)).status).toBe(415);
    expect((await send('PUT', at(), `${yaml}#${'x'.repeat(16_384)}`)).status).toBe(413);
    expect((await send('PUT', at(), yaml, 'application/yaml; charset=latin1')).status).toBe(415);
    expect((await send('PUT', at(), '')).status).toBe(422);
  });

  test('is not parsed for a caller without the role of the route', async () => {
    const sent = (role: string) => app.send('PUT', at(), { role, body: 'a: b: [', headers: { 'content-type': 'application/yaml' } });
    expect([(await sent('agent')).status, (await sent('policy_admin')).status]).toEqual([403, 400]);
  });
});

test('warnings come with the answer', async () => {
  const { status, body } = await put(trip({ root: step('note') }));
  expect([status, body.warnings]).toMatchObject([201, [{ step: 'note', pointer: '/root' }]]);
});

test('a tenant has at most so many names, and a name so many versions', async () => {
  await put(trip());
  const definitions = configuration.state.by_tenant.get('acme')?.saga_definitions;
  const [kept] = [...(definitions?.get('trip')?.values() ?? [])];
  for (let n = 1; n < VERSIONS_MAX; n++) definitions?.get('trip')?.set(`1.0.${n}`, { ...kept, version: `1.0.${n}` } as never);
  const more = await put(trip({ version: '2.0.0' }), at('2.0.0'));
  expect([more.status, more.body.reason]).toEqual([409, 'saga_definition_limit_reached']);
  const large = { ...kept, definition_json: 'x'.repeat(TOTAL_CHARS_MAX) };
  definitions?.set('large', new Map([['1.0.0', large as never]]));
  const heavy = await put(trip({ name: 'other' }), at('1.0.0', 'other'));
  expect([heavy.status, heavy.body.detail]).toEqual([409, expect.stringContaining('at most 16777216')]);
  definitions?.delete('large');
  for (let n = 1; n < DEFINITIONS_MAX; n++) definitions?.set(`n${n}`, new Map());
  const other = await put(trip({ name: 'other' }), at('1.0.0', 'other'));
  expect([other.status, other.body.detail]).toEqual([409, expect.stringContaining('200 saga definitions')]);
});
