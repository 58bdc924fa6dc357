import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PaymentsApi } from '../openapi/payments-api.js';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

interface Imported {
  tools: { name: string; version: string; change: string; pages: string | null; secrets: string[] }[];
  skipped: { operation: string; reason: string }[];
  removed: { name: string }[];
  secrets: { name: string; is_set: boolean }[];
  announced: number;
  reason?: string;
  detail?: string;
}

const payments = new PaymentsApi();
let platform: EmbeddedPlatform;
let admin: Api;
let author: Api;
let agent: Api;

const refund = { tool: 'refundPayment', inputs: { id: { from: '/output/body/id' } } };
const byReference = {
  tool: 'listPayments',
  inputs: { reference: { from: '/inputs/reference' } },
  items: '/body/data',
  matches: 'output.reference == inputs.reference && output.amount == inputs.amount',
};
const soon = { timeout_ms: 2_000, settle_ms: 100, settle_is_final: true };
const overlay = (more: object) => ({ operations: { createPayment: { name: 'pay', compensation: refund, ...soon, ...more } } });

beforeAll(async () => {
  await payments.start();
  platform = await EmbeddedPlatform.start({
    COUNTERSIGN_PACKS: 'workspace',
    COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE: new URL(payments.base).host,
    COUNTERSIGN_UPSTREAM_PRIVATE: new URL(payments.base).host,
  });
  admin = platform.admin();
  author = await admin.keyFor('user', 'tess', ['tool_author']);
  agent = await admin.keyFor('agent', 'agent-1', ['agent']);
});
afterAll(async () => {
  await platform?.close();
  payments.close();
});

const imported = (body: object, by: Api = author) =>
  by.request<Imported>('POST', '/v1/openapi-imports', { document: payments.document(), ...body });
const call = (tool: string, inputs: Record<string, unknown>, more: object = {}, by: Api = agent) =>
  by.request<Envelope>('POST', '/v1/calls', { tool, inputs, context: {}, ...more });
const ended = async (answer: { body: Envelope }) =>
  agent.callUntil(answer.body.call_id, ({ status }) => !['pending_policy', 'pending_approval', 'running'].includes(status));
const made = (reference: string) => payments.payments.filter((one) => one.reference === reference);
/** Imports under a name whose writes need no approval, with the secret of the server. */
async function ready(name: string, more: object) {
  const { status, body } = await imported({ name, ...overlay(more) });
  expect([status, body.announced]).toEqual([201, 5]);
  await admin.request('PUT', `/v1/secrets/workspace/${name}.token`, { value: payments.token });
  await admin.request('PUT', `/v1/policies/tools/${name}__pay`, { tier: 'tier_1_auto' });
}

describe('a document', () => {
  test('is refused under the name of an upstream, whose tools would have the names of its own, and so is the upstream', async () => {
    const taken = { reason: 'tool_name_taken' };
    expect((await author.request('PUT', '/v1/upstreams/mcp', { url: `${payments.base}/mcp` })).status).toBe(200);
    expect((await imported({ name: 'mcp' })).body).toMatchObject(taken);
    const plan = await author.request('POST', '/v1/openapi-imports:plan', { name: 'mcp', document: payments.document() });
    expect(plan.body).toMatchObject(taken);
    expect((await author.request('DELETE', '/v1/upstreams/mcp')).status).toBe(204);
    expect((await imported({ name: 'mcp' })).status).toBe(201);
    expect((await author.request('PUT', '/v1/upstreams/mcp', { url: `${payments.base}/mcp` })).body).toMatchObject(taken);
  });

  test('is shown as the tools that it would become, and nothing is recorded', async () => {
    const plan = await author.request<Imported>('POST', '/v1/openapi-imports:plan', { name: 'pay', document: payments.document() });
    expect(plan.status).toBe(200);
    expect(plan.body.tools.map(({ name, change, pages }) => [name, change, pages])).toEqual([
      ['pay__list_payments', 'new', 'cursor'],
      ['pay__create_payment', 'new', null],
      ['pay__get_payment', 'new', null],
      ['pay__refund_payment', 'new', null],
      ['pay__echo', 'new', null],
    ]);
    expect(plan.body.secrets).toEqual([{ name: 'pay.token', is_set: false }]);
    expect((await author.request('GET', '/v1/openapi-imports/pay')).status).toBe(404);
  });

  test('becomes tools that can be called at once, with a secret of the tenant that no answer shows', async () => {
    expect(
      (await author.request<Imported>('POST', '/v1/openapi-imports', { name: 'first', url: `${payments.base}/openapi.yaml` })).status,
    ).toBe(201);
    const without = await call('first__echo', {});
    expect(without.body.error).toMatchObject({ code: 'AUTH_REQUIRED', details: { reissue: [{ name: 'first.token', reason: 'absent' }] } });
    await admin.request('PUT', '/v1/secrets/workspace/first.token', { value: payments.token });
    const echoed = await call('first__echo', {});
    expect(echoed.body).toMatchObject({ status: 'succeeded', output: { status: 200, body: { authorization: 'Bearer [secret]' } } });
    await admin.request('PUT', '/v1/secrets/workspace/first.token', { value: 'another-secret-0123456789' });
    const refused = await call('first__echo', {});
    expect(refused.body.error).toMatchObject({ code: 'AUTH_REQUIRED' });
    expect(JSON.stringify(refused.body)).not.toContain('another-secret');
  });

  test('is refused with the reason where its server may not be reached, or its address not be fetched', async () => {
    const inside = await imported({ name: 'inside', base_url: 'http://169.254.169.254/latest' });
    expect([inside.status, inside.body.detail]).toEqual([400, expect.stringContaining('refused')]);
    const fetched = await author.request<Imported>('POST', '/v1/openapi-imports', {
      name: 'inside',
      url: 'http://127.0.0.1:9/openapi.json',
    });
    expect([fetched.status, fetched.body.detail]).toEqual([400, expect.stringContaining('the address is refused')]);
    expect((await imported({ name: 'inside' }, agent)).status).toBe(403);
  });
});

describe('a write of an imported document', () => {
  test('is sent as its document says, and undone by the operation that the operator named', async () => {
    await ready('forms', {});
    const paid = await ended(await call('forms__pay', { amount: 5, reference: 'plain', metadata: { order: '7' } }));
    expect(paid).toMatchObject({ status: 'succeeded', output: { status: 200, body: { metadata: { order: '7' } } } });
    expect(payments.requests.at(-1)?.body).toBe('amount=5&reference=plain&metadata[order]=7');
    const operator = await admin.keyFor('user', 'olga', ['operator']);
    const at = `/v1/calls/${paid.call_id}/undo`;
    const { body } = await operator.request<{ preview_digest: string }>('GET', at);
    expect((await operator.request('POST', at, { preview_digest: body.preview_digest, reason: 'by mistake' })).status).toBeLessThan(300);
    await operator.callUntil(paid.call_id, ({ status }) => status === 'compensated');
    expect(made('plain')).toMatchObject([{ refunded: true }]);
  });

  test('whose answer is lost is sent again with its key where the server honours keys: one effect', async () => {
    payments.honours_keys = true;
    await ready('keys', { idempotency_header: 'Idempotency-Key' });
    const paid = await ended(await call('keys__pay', { amount: 5, reference: 'lose-keys' }));
    payments.honours_keys = false;
    expect(paid.status).toBe('succeeded');
    expect(made('lose-keys')).toHaveLength(1);
    expect(payments.requests.filter(({ line, body }) => line.startsWith('POST') && body.includes('lose-keys')).length).toBeGreaterThan(1);
  });

  test('whose answer is lost is found by the read that the operator named, and never sent again', async () => {
    await ready('finds', { reconcile: byReference });
    const paid = await ended(await call('finds__pay', { amount: 5, reference: 'lose-found' }));
    expect(paid).toMatchObject({ status: 'succeeded', output: { body: { reference: 'lose-found' } } });
    const down = await ended(await call('finds__pay', { amount: 5, reference: 'down-found' }));
    expect(down.status).toBe('succeeded');
    expect([made('lose-found').length, made('down-found').length]).toEqual([1, 1]);
  });

  test('that nothing shows stays in doubt', async () => {
    await ready('doubts', { reconcile: { ...byReference, matches: 'output.reference == inputs.reference && output.amount == 0.0' } });
    const lost = await ended(await call('doubts__pay', { amount: 5, reference: 'lose-doubt' }));
    expect(lost.status).toBe('in_doubt');
    expect(made('lose-doubt')).toHaveLength(1);
  });

  test('that the server refused had no effect, and waits as long as the server says', async () => {
    await ready('errors', {});
    const refused = await ended(await call('errors__pay', { amount: 5, reference: 'refused-1' }));
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR', class: 'semantic' } });
    expect(JSON.stringify(refused)).not.toContain(payments.token);
    const busy = await ended(await call('errors__pay', { amount: 5, reference: 'busy-1' }));
    expect([busy.status, busy.error?.code ?? null]).toEqual(busy.status === 'failed' ? ['failed', 'RATE_LIMIT'] : ['succeeded', null]);
    const missing = await ended(await call('errors__get_payment', { id: 'pay_999' }));
    expect(missing.error).toMatchObject({ class: 'not_found' });
  });

  test('happens once under duplicates, and after the platform was killed while it ran', async () => {
    await ready('once', { reconcile: byReference, timeout_ms: 20_000 });
    const inputs = { amount: 5, reference: 'duplicated' };
    const many = await Promise.all(Array.from({ length: 8 }, () => call('once__pay', inputs, { context: { run_id: 'run-d' } })));
    for (const one of many) expect((await ended(one)).status).toBe('succeeded');
    expect(made('duplicated')).toHaveLength(1);
    const slow = await agent.request<Envelope>(
      'POST',
      '/v1/calls',
      { tool: 'once__pay', inputs: { amount: 5, reference: 'slow-killed' }, context: {} },
      { prefer: 'wait=0' },
    );
    await platform.process.until('the payment is made', async () => made('slow-killed').length === 1);
    await platform.process.stop('SIGKILL');
    await platform.up();
    const found = await ended(slow);
    expect(found.status).toBe('succeeded');
    expect(made('slow-killed')).toHaveLength(1);
  });
});

describe('pages', () => {
  test('are followed as far as the operator allows, and the rest is named', async () => {
    const options = { operations: { listPayments: { follow_pages: 2 } } };
    await imported({ name: 'pages', ...options });
    await admin.request('PUT', '/v1/secrets/workspace/pages.token', { value: payments.token });
    const listed = await call('pages__list_payments', { limit: 2 });
    const output = listed.body.output as { body: { data: { id: string }[] }; next_page: unknown };
    expect(output.body.data.map(({ id }) => id)).toEqual(['pay_1', 'pay_2', 'pay_3', 'pay_4']);
    expect(output.next_page).toEqual({ input: 'starting_after', value: 'pay_4' });
  });
});

describe('a document that is imported again', () => {
  test('gives a new version to what changed, keeps the rest, and reports what is gone', async () => {
    await imported({ name: 'again' });
    const changed = payments
      .document()
      .replace(
        '- {name: limit, in: query, schema: {type: integer}}',
        '- {name: limit, in: query, schema: {type: integer}}\n        - {name: status, in: query, schema: {type: string}}',
      )
      .replace(/ {2}\/echo:[\s\S]*$/, '');
    const { status, body } = await author.request<Imported>('POST', '/v1/openapi-imports', { name: 'again', document: changed });
    expect(status).toBe(201);
    expect(body.tools.map(({ name, version, change }) => [name, version, change])).toEqual([
      ['again__list_payments', '1.1.0', 'changed'],
      ['again__create_payment', '1.0.0', 'unchanged'],
      ['again__get_payment', '1.0.0', 'unchanged'],
      ['again__refund_payment', '1.0.0', 'unchanged'],
    ]);
    expect(body.removed).toMatchObject([{ name: 'again__echo' }]);
    const breaking = await author.request<Imported>('POST', '/v1/openapi-imports', {
      name: 'again',
      document: changed.replace(
        '{name: id, in: path, required: true, schema: {type: string}}',
        '{name: id, in: path, required: true, schema: {type: integer}}',
      ),
    });
    expect(breaking.body.tools.find(({ name }) => name === 'again__get_payment')).toMatchObject({ version: '2.0.0', change: 'changed' });
  });

  test('under its name reaches no other server: its secrets stay where they were', async () => {
    const moved = await imported({ name: 'again', base_url: 'https://elsewhere.example.com' });
    expect([moved.status, moved.body.reason]).toEqual([409, 'openapi_import_origin_changed']);
  });
});

describe('another tenant', () => {
  test('sees no tool and no import, and its own import gets no secret of the installation', async () => {
    await admin.request('PUT', '/v1/secrets/org/umbra.token', { value: payments.token });
    await admin.request('POST', '/v1/tenants', { tenant_id: 'umbra' });
    const umbra = await admin.keyFor('user', 'uma', ['admin'], 'umbra');
    expect((await call('first__echo', {}, {}, umbra)).status).toBe(404);
    expect((await umbra.request<{ items: unknown[] }>('GET', '/v1/openapi-imports')).body.items).toEqual([]);
    expect((await umbra.request('GET', '/v1/openapi-imports/first')).status).toBe(404);
    expect((await imported({ name: 'umbra' }, umbra)).status).toBe(201);
    const echoed = await call('umbra__echo', {}, {}, umbra);
    expect(echoed.body.error).toMatchObject({ code: 'AUTH_REQUIRED', details: { reissue: [{ name: 'umbra.token', reason: 'absent' }] } });
  });
});
