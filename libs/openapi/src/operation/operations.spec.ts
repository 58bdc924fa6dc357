import { describe, expect, test } from 'vitest';
import { answering, bodyOf, compiled, documentOf, taking } from '../testing/documents.js';

const text = { type: 'string' };
const get = (more: object = {}) => ({ get: { ...answering(text), ...more } });
const one = (item: object, options: object = {}, more: object = {}) => compiled(documentOf({ '/a': item }, more), options).only();
const reason = (item: object, options: object = {}, more: object = {}) =>
  compiled(documentOf({ '/a': item }, more), options).skipped[0]?.reason;

describe('effects', () => {
  test('GET and HEAD read, every other method commits until an operator says otherwise', () => {
    const item = {
      get: answering(text),
      head: answering(text),
      post: taking({ type: 'object', properties: { a: text } }),
      delete: { parameters: [{ name: 'a', in: 'query', schema: text }], responses: {} },
    };
    expect(compiled(documentOf({ '/a': item })).tools.map(({ operation, effect_class }) => [operation, effect_class])).toEqual([
      ['GET /a', 'read_external'],
      ['HEAD /a', 'read_external'],
      ['POST /a', 'commit_high'],
      ['DELETE /a', 'commit_high'],
    ]);
    const overlay = { operations: { 'POST /a': { effect_class: 'read_external', name: 'find' } } };
    expect(compiled(documentOf({ '/a': { post: item.post } }), overlay).only().contract).toMatchObject({
      name: 'shop__find',
      effect_class: 'read_external',
    });
  });

  test('all inputs identify a write, or those that the operator names', () => {
    const item = {
      post: taking({ type: 'object', properties: { amount: { type: 'number' }, created_at: { type: 'string', format: 'date-time' } } }),
    };
    expect(one(item).contract.idempotency).toMatchObject({ discriminating: ['amount', 'created_at'] });
    expect(one(item, { operations: { 'POST /a': { discriminating: ['amount'] } } }).contract.idempotency).toMatchObject({
      discriminating: ['amount'],
    });
    expect(one(item, { operations: { 'POST /a': { discriminating: ['amount'], idempotency_header: 'X-Key' } } })).toMatchObject({
      contract: { takes_key: true },
      binding: { idempotency_header: 'X-Key' },
    });
  });

  test('a declared Idempotency-Key is no input: the key of the attempt is sent, and trusted only if the operator says so', () => {
    const { contract, binding } = one({
      post: {
        ...taking({ type: 'object', properties: { a: text } }),
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: text }],
      },
    });
    expect(Object.keys(contract.input_schema.properties as object)).toEqual(['a']);
    expect([contract.takes_key, binding.idempotency_header]).toEqual([false, 'Idempotency-Key']);
  });

  test('reconcile and compensation name operations of the document, whose credentials the tool may use', () => {
    const paths = {
      '/a': { post: taking({ type: 'object', properties: { a: text } }) },
      '/a/{id}': {
        delete: { operationId: 'undo', parameters: [{ name: 'id', in: 'path', schema: text }], security: [{ other: [] }], responses: {} },
      },
    };
    const more = { components: { securitySchemes: { other: { type: 'apiKey', in: 'header', name: 'X-Key' } } } };
    const with_compensation = (compensation: object) =>
      compiled(documentOf(paths, more), { only: ['POST /a'], operations: { 'POST /a': { compensation } } });
    expect(with_compensation({ tool: 'undo', inputs: { id: { from: '/output/body/id' } } }).only().contract).toMatchObject({
      has_compensate: true,
      auth_requirements: ['shop.other'],
    });
    expect(with_compensation({ tool: 'nothing', inputs: {} }).skipped[0]?.reason).toContain('which the document does not have');
    expect(with_compensation({ tool: 'undo', inputs: { name: { literal: 1 } } }).skipped[0]?.reason).toContain(
      'inputs that DELETE /a/{id} does not have: name',
    );
  });
});

describe('names', () => {
  test('are the operationId, or method and path, in snake case after the name of the import', () => {
    const paths = {
      '/pets/{petId}': { get: { operationId: 'findPetByID', parameters: [{ name: 'petId', in: 'path', schema: text }], responses: {} } },
      '/a-b': get(),
    };
    expect(compiled(documentOf(paths)).tools.map(({ name }) => name)).toEqual(['shop__find_pet_by_id', 'shop__get_a_b']);
  });

  test('that collide or are too long all get digits of their operation, so that order changes nothing', () => {
    const long = 'a'.repeat(90);
    const paths: Record<string, object> = {
      '/x': get({ operationId: 'do-it' }),
      '/y': get({ operationId: 'doIt' }),
      '/z': get({ operationId: long }),
    };
    const names = (order: string[]) =>
      Object.fromEntries(
        compiled(documentOf(Object.fromEntries(order.map((path) => [path, paths[path]])))).tools.map(({ operation, name }) => [
          operation,
          name,
        ]),
      );
    const first = names(['/x', '/y', '/z']);
    expect(first['GET /x']).toMatch(/^shop__do_it_[0-9a-f]{6}$/);
    expect(Object.values(first).every((name) => name.length <= 64)).toBe(true);
    expect(names(['/z', '/y', '/x'])).toEqual(first);
  });
});

describe('parameters', () => {
  test('of the path count unless the operation has its own; same names in two places are told apart', () => {
    const shared = [{ name: 'id', in: 'query', schema: text }];
    const { contract } = one({
      parameters: shared,
      get: { ...answering(text), parameters: [{ name: 'id', in: 'header', required: true, schema: { type: 'integer' } }] },
    });
    expect(contract.input_schema).toMatchObject({
      properties: { query_id: text, header_id: { type: 'integer' } },
      required: ['header_id'],
    });
  });

  test.each<[string, object, string]>([
    ['a style that is not sent', { name: 'a', in: 'query', style: 'matrix', schema: text }, 'in the style "matrix"'],
    ['content that is no JSON', { name: 'a', in: 'query', content: { 'application/xml': {} } }, 'application/xml'],
    ['a header with a line break', { name: 'X-A\r\nHost', in: 'header', schema: text }, 'whose name is not allowed'],
    ['another place', { name: 'a', in: 'formData', schema: text }, 'has a parameter in "formData"'],
  ])('%s costs its operation, with the reason', (_, parameter, said) => expect(reason(get({ parameters: [parameter] }))).toContain(said));

  test('headers of the connection are never inputs', () => {
    const parameters = ['Authorization', 'Accept', 'Content-Type', 'Host', 'Cookie', 'Content-Length'].map((name) => ({
      name,
      in: 'header',
      schema: text,
    }));
    expect(one(get({ parameters })).contract.input_schema.properties).toEqual({});
  });
});

describe('bodies', () => {
  test('a plain object is inputs of its own; anything else is the input body', () => {
    expect(one({ post: taking({ type: 'object', properties: { a: text } }) }).binding.body).toMatchObject({
      kind: 'json',
      from: { properties: ['a'] },
    });
    expect(one({ post: taking({ type: 'array', items: text }) }).binding.body).toMatchObject({ kind: 'json', from: { input: 'body' } });
    const open = { type: 'object', properties: { a: text }, additionalProperties: text };
    expect(one({ post: taking(open) }).binding.body).toMatchObject({ from: { input: 'body' } });
  });

  test('a form keeps the styles of its properties', () => {
    const content = {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties: { m: { type: 'object', properties: { a: text } } } },
        encoding: { m: { style: 'deepObject', explode: true } },
      },
    };
    expect(one({ post: { requestBody: { content }, responses: {} } }).binding.body).toMatchObject({
      kind: 'form',
      styles: { m: { style: 'deepObject', explode: true } },
    });
  });

  test('multipart is refused with what is sent', () => {
    const content = { 'multipart/form-data': { schema: { type: 'object' } } };
    expect(reason({ post: { requestBody: { required: true, content }, responses: {} } })).toContain(
      'takes a body of "multipart/form-data": only JSON, forms',
    );
  });
});

describe('credentials', () => {
  const schemes = {
    key: { type: 'apiKey', in: 'query', name: 'api_key' },
    token: { type: 'http', scheme: 'bearer' },
    flow: { type: 'oauth2', flows: {} },
    digest: { type: 'http', scheme: 'digest' },
  };
  const components = { components: { securitySchemes: schemes } };

  test.each<[string, object[], object[]]>([
    ['an API key', [{ key: [] }], [{ secret: 'shop.key', as: 'query', name: 'api_key' }]],
    ['the first alternative that is supported', [{ digest: [] }, { token: [] }], [{ secret: 'shop.token', as: 'bearer', name: '' }]],
    [
      'all of one alternative',
      [{ key: [], flow: [] }],
      [
        { secret: 'shop.key', as: 'query', name: 'api_key' },
        { secret: 'shop.flow', as: 'bearer', name: '' },
      ],
    ],
    ['none', [], []],
    ['a credential before none', [{}, { token: [] }], [{ secret: 'shop.token', as: 'bearer', name: '' }]],
  ])('%s', (_, security, credentials) => expect(one(get({ security }), {}, components).binding.credentials).toEqual(credentials));

  test('are of the import alone, whatever a document calls them; an unsupported kind costs the operation', () => {
    expect(reason(get({ security: [{ digest: [] }] }), {}, components)).toContain(
      'needs a kind of credential that is not supported: digest',
    );
    const hostile = { components: { securitySchemes: { '../erp': { type: 'http', scheme: 'bearer' } } } };
    expect(one(get({ security: [{ '../erp': [] }] }), {}, hostile).contract.auth_requirements).toEqual(['shop._erp']);
  });

  test('an operator sets one for a document that declares none; a parameter of its name is no input', () => {
    const { contract, binding } = one(get({ parameters: [{ name: 'X-Key', in: 'header', schema: text }] }), {
      auth: { as: 'header', name: 'x-key' },
    });
    expect([binding.credentials, contract.input_schema.properties]).toEqual([
      [{ secret: 'shop.credential', as: 'header', name: 'x-key' }],
      {},
    ]);
  });
});

describe('servers', () => {
  const at = (servers: object[], options: object = {}, url?: string) =>
    compiled(documentOf({ '/a': get() }, { servers }), options, url).only().contract.endpoint;

  test('variables are filled in, relative addresses are of the document, and the operator may name another one', () => {
    const regional = [{ url: 'https://{region}.example.com/v1/', variables: { region: { default: 'eu', enum: ['eu', 'us'] } } }];
    expect(at(regional)).toBe('https://eu.example.com/v1/a');
    expect(at(regional, { server_variables: { region: 'us' } })).toBe('https://us.example.com/v1/a');
    expect(() => at(regional, { server_variables: { region: 'evil.org/' } })).toThrow('must be one of eu, us');
    expect(at([{ url: '/v2' }], {}, 'https://docs.example.com/openapi.json')).toBe('https://docs.example.com/v2/a');
    expect(() => at([{ url: '/v2' }])).toThrow('set base_url');
    expect(at(regional, { base_url: 'https://own.example.com/' })).toBe('https://own.example.com/a');
  });

  test('an operation at another host is refused: it would get the secrets of the import', () => {
    expect(reason(get({ servers: [{ url: 'https://evil.example.org' }] }))).toContain('is at another server (https://evil.example.org)');
    expect(one(get({ servers: [{ url: 'https://api.example.com/v9' }] })).contract.endpoint).toBe('https://api.example.com/v9/a');
    expect(() => compiled(documentOf({ '/a': get() }, { servers: [{ url: 'https://user:word@example.com' }] }))).toThrow(
      'must not contain credentials',
    );
  });
});

describe('pages', () => {
  const item = { type: 'object', properties: { id: text } };
  const list = { type: 'array', items: item };
  const pages = (names: string[], schema: object, headers?: object) =>
    one(
      get({
        parameters: names.map((name) => ({ name, in: 'query', schema: text })),
        responses: { 200: { description: '', headers, ...bodyOf(schema) } },
      }),
    ).binding.pages;

  test.each<[string, string[], object, object | undefined, object | undefined]>([
    ['by a link', ['page'], list, { Link: {} }, { kind: 'link', input: 'page', items: '' }],
    [
      'by a cursor',
      ['cursor'],
      { type: 'object', properties: { items: list, meta: { type: 'object', properties: { next_cursor: text } } } },
      undefined,
      { kind: 'cursor', input: 'cursor', next: '/meta/next_cursor', items: '/items' },
    ],
    [
      'by the last item',
      ['starting_after'],
      { type: 'object', properties: { data: list, has_more: { type: 'boolean' } } },
      undefined,
      { kind: 'cursor', more: '/has_more', after: '/id', items: '/data' },
    ],
    ['by numbers', ['page'], list, undefined, { kind: 'page', input: 'page', items: '' }],
    ['by offset', ['offset'], list, undefined, { kind: 'offset', input: 'offset' }],
    ['of nothing known', ['q'], list, undefined, undefined],
  ])('%s are recognised', (_, names, schema, headers, expected) =>
    expected === undefined
      ? expect(pages(names, schema, headers)).toBeUndefined()
      : expect(pages(names, schema, headers)).toMatchObject(expected),
  );
});
