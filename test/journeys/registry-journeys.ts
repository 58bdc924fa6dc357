import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

interface Told extends Envelope {
  warnings: string[];
  mapping_version: number | null;
}

const VERSION = '/v1/tools/probe_http_effect/versions/1.0.0/lifecycle';

interface Delivered {
  body: Record<string, unknown>;
  signature: string;
}

/** Where a tenant's webhook goes. */
class Inbox {
  private readonly delivered: Delivered[] = [];
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(): Promise<Inbox> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const inbox = new Inbox(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
        inbox.delivered.push({ body, signature: String(request.headers['webhook-signature']) });
        response.writeHead(204).end();
      });
    });
    return inbox;
  }

  async next(within_ms: number): Promise<Delivered> {
    const until = performance.now() + within_ms;
    for (;;) {
      const found = this.delivered.shift();
      if (found) return found;
      if (performance.now() > until) throw new Error('nothing was delivered');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

async function waitUntil(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 30_000; !holds(); await new Promise((resolve) => setTimeout(resolve, 20)))
    if (performance.now() > end) throw new Error(`not within 30 s: ${holds}`);
}

/** The registry and the mappings, through the public face. */
export function describeRegistryJourneys(at: JourneyWorld): void {
  const author = () => at.admin.keyFor('user', 'tina', ['tool_author', 'policy_admin']);

  describe('registry', () => {
    test('a tool shows its record; unknown names and versions are a 404 with what was nearest', async () => {
      const tool = await at.agent.request<{ versions: Record<string, unknown>[] }>('GET', '/v1/tools/probe_read');
      expect(tool.body.versions[0]).toMatchObject({
        lifecycle: 'active',
        rating: null,
        usage: null,
        release: { drift: 'ok', sunset_at: null },
      });
      const misspelt = await at.agent.call({ tool: 'prob_raed', inputs: {} });
      expect([misspelt.status, (misspelt.body as unknown as { nearest: string[] }).nearest]).toEqual([
        404,
        expect.arrayContaining(['probe_read']),
      ]);
      const version = await at.agent.call({ tool: 'probe_read', version: '1.0.1', inputs: {} });
      expect([version.status, version.body]).toMatchObject([404, { known_versions: ['1.0.0'], nearest: ['1.0.0'] }]);
      const found = await at.agent.request<{ items: { name: string }[] }>('GET', '/v1/tools:search?q=read%20the%20counterparty');
      expect(found.body.items[0]?.name).toBe('probe_read');
    });

    test('a deprecated version runs, warns in headers and envelope, and is hidden from discovery', async () => {
      const by = await author();
      const sunset_at = new Date(Date.now() + 40 * 86_400_000).toISOString();
      const lifecycle = '/v1/tools/probe_read/versions/1.0.0/lifecycle';
      expect((await by.request('PUT', lifecycle, { state: 'deprecated', sunset_at, use_instead: 'probe_read@2.0.0' })).status).toBe(200);
      const { headers, body } = await at.agent.call({ tool: 'probe_read', inputs: {} });
      expect(body).toMatchObject({ status: 'succeeded', version: '1.0.0' });
      expect((body as Told).warnings).toEqual([`probe_read@1.0.0 is deprecated and ends on ${sunset_at}; use probe_read@2.0.0`]);
      expect([headers.get('deprecation'), headers.get('sunset')]).toEqual([
        expect.stringMatching(/^@\d+$/),
        new Date(sunset_at).toUTCString(),
      ]);
      expect((await at.agent.callUntil(body.call_id, (call) => (call as Told).warnings.length > 0)).status).toBe('succeeded');
      const names = async (query: string) =>
        (await at.agent.request<{ items: { name: string }[] }>('GET', `/v1/tools?limit=500${query}`)).body.items.map(({ name }) => name);
      expect(await names('')).not.toContain('probe_read');
      expect(await names('&lifecycle=deprecated')).toContain('probe_read');
      expect((await by.request('PUT', lifecycle, { state: 'active' })).status).toBe(200);
    });

    test('a blocked version is denied at once: new calls, and those that wait for a person', async () => {
      const by = await author();
      const inbox = await Inbox.open();
      expect((await at.admin.request('POST', '/v1/webhooks', { url: inbox.url, types: ['tool.*'] })).status).toBe(201);
      const waiting = (await at.agent.call({ tool: 'probe_approval', inputs: order() })).body;
      const lifecycle = '/v1/tools/probe_approval/versions/1.0.0/lifecycle';
      const started = performance.now();
      expect((await by.request('PUT', lifecycle, { state: 'blocked', reason: 'leaks' })).status).toBe(200);
      const denied = await at.agent.callUntil(waiting.call_id, (call) => call.status === 'denied', 5_000);
      expect(performance.now() - started).toBeLessThan(5_000);
      expect(denied.error).toMatchObject({ code: 'POLICY_DENIED', message: expect.stringContaining('blocked') });
      const late = await at.anna.request('POST', `/v1/approvals/${waiting.approval?.approval_id}/votes`, { vote: 'approve' });
      expect(late.status).toBe(409);
      const notice = await inbox.next(10_000);
      expect(notice.body).toMatchObject({
        type: 'tool.version_revoked',
        data: { tool: 'probe_approval', version: '1.0.0', reason: 'leaks' },
      });
      expect(notice.signature).toMatch(/^v1,/);
      await inbox.close();
      expect((await at.agent.call({ tool: 'probe_approval', inputs: order() })).body).toMatchObject({
        status: 'denied',
        error: { code: 'POLICY_DENIED' },
      });
      expect((await by.request('PUT', lifecycle, { state: 'active' })).status).toBe(200);
    });

    test('two seconds after it was asked for, a revocation lets nothing fire any more, whoever goes on calling', async () => {
      const by = await author();
      const answered = { succeeded: 0, denied: 0 };
      let stop = false;
      const callers = Array.from({ length: 8 }, async () => {
        while (!stop) {
          const { status } = (await at.agent.call({ tool: 'probe_http_effect', inputs: order() })).body;
          if (status === 'succeeded' || status === 'denied') answered[status]++;
        }
      });
      await waitUntil(() => answered.succeeded > 0);
      const asked = performance.now();
      expect((await by.request('PUT', VERSION, { state: 'blocked' })).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 2_000 - (performance.now() - asked)));
      const { effects } = await at.counterparty.stats();
      const enough = answered.denied + 40;
      await waitUntil(() => answered.denied >= enough);
      stop = true;
      await Promise.all(callers);
      expect((await at.counterparty.stats()).effects).toBe(effects);
      expect((await by.request('PUT', VERSION, { state: 'active' })).status).toBe(200);
      expect((await at.agent.call({ tool: 'probe_http_effect', inputs: order() })).body.status).toBe('succeeded');
    }, 60_000);
  });

  describeMappings(at, author);
}

const definition = {
  inputs: [
    { from: '/reference', to: '/name' },
    { from: '/vendor', to: '/partner_id', lookup: 'vendors' },
    { from: '/cost_center', to: '/x_studio_cost_center' },
    { from: '/ordered_at', to: '/date_order', date: { from: { form: 'iso' }, to: { form: 'YYYY-MM-DD HH:mm:ss' } } },
    {
      from: '/lines',
      to: '/order_line',
      as: 'odoo_one2many',
      each: [
        { from: '/product', to: '/product_id' },
        { from: '/quantity', to: '/product_qty' },
        { from: '/price', to: '/price_unit', decimal: { from: { as: 'number' }, to: { as: 'string', scale: 2 } } },
      ],
    },
    { to: '/total', value: '$sum($document.lines.(price * quantity))', uses: ['/lines'] },
  ],
  results: [
    { from: '/id', to: '/order_id' },
    { from: '/partner_id', to: '/vendor', lookup_back: 'vendors' },
    { from: '/record', to: '/sent', value: '$string($)' },
  ],
  tables: { vendors: { ACME: 17 } },
};

function describeMappings(at: JourneyWorld, author: () => Promise<JourneyWorld['admin']>): void {
  describe('mappings', () => {
    const inputs = (more: object = {}) => ({ reference: `po-${order().account}`, vendor: 'ACME', cost_center: 'R&D', ...more });
    const send = async (more: object = {}) => (await at.agent.call({ tool: 'probe_erp', inputs: inputs(more) })).body as Told;
    const sentOf = ({ output }: Envelope) => JSON.parse(String(output?.sent)) as Record<string, unknown>;
    const lines = [{ product: 'bolt', quantity: 2, price: 1.5 }];

    test('a published mapping stands between the agent and the system, both ways, and the record names its version', async () => {
      const by = await author();
      expect((await send()).status).toBe('failed');
      const published = await by.request<{ version: number }>('PUT', '/v1/mappings/probe_erp', definition);
      expect([published.status, published.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"c\d+"$/)]);
      const ran = await send({ ordered_at: '2026-11-22T10:00:00+01:00', lines });
      expect(ran).toMatchObject({ status: 'succeeded', mapping_version: published.body.version, warnings: [] });
      expect(ran.output).toMatchObject({ order_id: 4711, vendor: 'ACME' });
      expect(sentOf(ran)).toMatchObject({
        partner_id: 17,
        x_studio_cost_center: 'R&D',
        date_order: '2026-11-22 09:00:00',
        order_line: [[0, 0, { product_id: 'bolt', product_qty: 2, price_unit: '1.50' }]],
        total: 3,
      });
    });

    test('strict refuses a field that is not mapped, by name and before anything fires; permissive passes it on and warns', async () => {
      const by = await author();
      const refused = await send({ note: 'urgent' });
      expect(refused).toMatchObject({
        status: 'failed',
        output: null,
        error: { code: 'VALIDATION_ERROR', details: { layer: 'mapping', issues: [{ path: '/note', message: 'is not mapped' }] } },
      });
      expect((refused as unknown as { effect: string }).effect).toBe('none');
      expect((await send({ vendor: 'Initech' })).error).toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining('/vendor'),
      });
      expect((await by.request('PUT', '/v1/mappings/*', { mode: 'permissive' })).status).toBe(200);
      const passed = await send({ note: 'urgent' });
      expect(passed).toMatchObject({ status: 'succeeded', warnings: ['/note is not mapped and was passed on as it is'] });
      expect(sentOf(passed)).toMatchObject({ note: 'urgent' });
      expect((await by.request('DELETE', '/v1/mappings/*')).status).toBe(204);
    });

    test('a mapping is tried on recorded calls before it is published, kept in a history, and rolled back', async () => {
      const by = await author();
      const [, ...without] = definition.inputs;
      const trial = await by.request<{ inputs: { call_id: string; issues: { path: string }[]; to: unknown }[]; failed: number }>(
        'POST',
        '/v1/mappings:try',
        {
          tool: 'probe_erp',
          definition: { ...definition, inputs: without },
          calls_max: 3,
        },
      );
      expect(trial.status).toBe(200);
      expect(trial.body.inputs.length).toBeGreaterThan(0);
      expect(trial.body.inputs.every(({ call_id, issues }) => call_id !== null && issues.some(({ path }) => path === '/reference'))).toBe(
        true,
      );
      const before = await by.request<{ version: number }>('GET', '/v1/mappings/probe_erp');
      const next = await by.request<{ version: number }>('PUT', '/v1/mappings/probe_erp', {
        ...definition,
        inputs: [...definition.inputs, { from: '/note', to: '/notes' }],
      });
      expect((await send({ note: 'urgent' })).mapping_version).toBe(next.body.version);
      const stale = await by.request(
        'POST',
        '/v1/mappings/probe_erp/rollback',
        { version: before.body.version },
        { 'if-match': before.headers.get('etag') as string },
      );
      expect(stale.status).toBe(412);
      const back = await by.request<{ version: number; rolled_back_to: number }>('POST', '/v1/mappings/probe_erp/rollback', {
        version: before.body.version,
      });
      expect(back.body).toMatchObject({ version: next.body.version + 1, rolled_back_to: before.body.version });
      expect((await send({ note: 'urgent' })).status).toBe('failed');
      const history = await by.request<{ items: { version: number }[] }>('GET', '/v1/mappings/probe_erp/versions');
      expect(history.body.items.map(({ version }) => version)).toEqual([back.body.version, next.body.version, before.body.version]);
      const faulty = await by.request('PUT', '/v1/mappings/probe_erp', { inputs: [{ from: '/a', to: '/b', value: '$eval("1")' }] });
      expect([faulty.status, faulty.body]).toMatchObject([
        422,
        { code: 'VALIDATION_ERROR', validation: { layer: 'mapping', issues: [{ path: '/inputs/0' }] } },
      ]);
      expect((await at.agent.request('PUT', '/v1/mappings/probe_erp', definition)).status).toBe(403);
    });
  });
}
