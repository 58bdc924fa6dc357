import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { describeMappings } from './mapping-journeys.js';

type Reported = Envelope & { warnings: string[] };

const VERSION = '/v1/tools/probe_http_effect/versions/1.1.0/lifecycle';

interface Delivered {
  body: Record<string, unknown>;
  signature: string;
}

/** The receiver of a tenant's webhook. */
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

/** The registry and the mappings, through the public API. */
export function describeRegistryJourneys(at: JourneyWorld): void {
  const author = () => at.admin.keyFor('user', 'tina', ['tool_author', 'policy_admin']);

  describe('registry', () => {
    test('a tool shows its record; unknown names and versions are a 404 with the nearest match', async () => {
      const tool = await at.agent.request<{ versions: Record<string, unknown>[] }>('GET', '/v1/tools/probe_read');
      expect(tool.body.versions[0]).toMatchObject({
        lifecycle: 'active',
        rating: null,
        usage: null,
        release: { drift: 'ok', sunset_at: null },
        resources: [],
      });
      const writes = await at.agent.request<{ versions: Record<string, unknown>[] }>('GET', '/v1/tools/probe_http_effect');
      expect(writes.body.versions[0]).toMatchObject({ resources: [{ name: 'payment:{/account}/{/amount}/{/note}', effect: 'adds' }] });
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
      expect((body as Reported).warnings).toEqual([`probe_read@1.0.0 is deprecated and ends on ${sunset_at}; use probe_read@2.0.0`]);
      expect([headers.get('deprecation'), headers.get('sunset')]).toEqual([
        expect.stringMatching(/^@\d+$/),
        new Date(sunset_at).toUTCString(),
      ]);
      expect((await at.agent.callUntil(body.call_id, (call) => (call as Reported).warnings.length > 0)).status).toBe('succeeded');
      const names = async (query: string) =>
        (await at.agent.request<{ items: { name: string }[] }>('GET', `/v1/tools?limit=500${query}`)).body.items.map(({ name }) => name);
      expect(await names('')).not.toContain('probe_read');
      expect(await names('&lifecycle=deprecated')).toContain('probe_read');
      expect((await by.request('PUT', lifecycle, { state: 'active' })).status).toBe(200);
    });

    test('a blocked version is denied for new calls and for calls that wait for a person', async () => {
      const by = await author();
      const inbox = await Inbox.open();
      expect((await at.admin.request('POST', '/v1/webhooks', { url: inbox.url, types: ['tool.*'] })).status).toBe(201);
      const waiting = (await at.agent.call({ tool: 'probe_approval', inputs: order() })).body;
      const lifecycle = '/v1/tools/probe_approval/versions/1.1.0/lifecycle';
      expect((await by.request('PUT', lifecycle, { state: 'blocked', reason: 'leaks' })).status).toBe(200);
      const denied = await at.agent.callUntil(waiting.call_id, (call) => call.status === 'denied');
      expect(denied.error).toMatchObject({ code: 'POLICY_DENIED', message: expect.stringContaining('blocked') });
      const late = await at.anna.request('POST', `/v1/approvals/${waiting.approval?.approval_id}/votes`, { vote: 'approve' });
      expect(late.status).toBe(409);
      const notice = await inbox.next(30_000);
      expect(notice.body).toMatchObject({
        type: 'tool.version_revoked',
        data: { tool: 'probe_approval', version: '1.1.0', reason: 'leaks' },
      });
      expect(notice.signature).toMatch(/^v1,/);
      await inbox.close();
      expect((await at.agent.call({ tool: 'probe_approval', inputs: order() })).body).toMatchObject({
        status: 'denied',
        error: { code: 'POLICY_DENIED' },
      });
      expect((await by.request('PUT', lifecycle, { state: 'active' })).status).toBe(200);
    });

    test('two seconds after its request a revocation lets no call run, whoever continues to call', async () => {
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
      const started_ms = performance.now();
      expect((await by.request('PUT', VERSION, { state: 'blocked' })).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 2_000 - (performance.now() - started_ms)));
      const { effects } = await at.counterparty.stats();
      const enough = answered.denied + 40;
      await waitUntil(() => answered.denied >= enough);
      stop = true;
      await Promise.all(callers);
      expect((await at.counterparty.stats()).effects).toBe(effects);
      expect((await by.request('PUT', VERSION, { state: 'active' })).status).toBe(200);
      expect((await at.agent.call({ tool: 'probe_http_effect', inputs: order() })).body.status).toBe('succeeded');
    });
  });

  describeMappings(at, author);
}
