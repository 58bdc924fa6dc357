import { beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import type { TestedPlatform } from '../journeys/journey-world.js';
import { Acme, MARK, SECRET } from './acme.js';
import { type Route, routesOf } from './api-routes.js';
import { type Probe, Probes } from './probes.js';

const ROLES = ['agent', 'approver', 'operator', 'auditor', 'policy_admin', 'tool_author', 'admin'];
/** Routes of the installation: admins of tenant `default` have access to what acme has there. */
const INSTALLATIONS = /^\/v1\/(projections|adapters|tenants|log|scrubs|secrets:)/;

/** Tests that another tenant can see, guess, exhaust and time nothing. `roles`: the roles used for each probe. */
export function describeCrossTenant(at: { platform: TestedPlatform }, roles: readonly string[] = ROLES): void {
  describe('tenants', () => {
    let acme: Api;
    let root: Api;
    let tenant: Acme;
    let probed: Probes;
    let routes: Route[];
    /** Ids of acme, by the name of the path's parameter. */
    const ids = new Map<string, string>();
    const rivals = new Map<string, Api>();
    const unknown = (name: string): string => tenant.names.get(name)?.nobodys as string;

    beforeAll(async () => {
      root = at.platform.admin();
      for (const tenant_id of ['acme', 'rival'])
        expect((await root.request('POST', '/v1/tenants', { tenant_id, in_flight_max: 20 })).status).toBe(201);
      tenant = await Acme.furnish(root);
      acme = tenant.admin;
      for (const [name, { acmes }] of tenant.names) ids.set(name, acmes);
      for (const role of new Set(['agent', 'operator', 'admin', ...roles]))
        rivals.set(role, await root.keyFor('user', `rival-${role}`, [role], 'rival'));
      probed = new Probes(tenant);
      routes = (await routesOf(at.platform.base)).filter((route) => !route.open);
    });

    /** Everything that acme sees of itself, once it no longer changes by itself. */
    async function settled(): Promise<string> {
      for (let [before, tries] = ['', 0]; ; tries++) {
        const now = await tenant.sees();
        if (now === before || tries === 20) return now;
        before = now;
        await new Promise((later) => setTimeout(later, 250));
      }
    }

    const where = ({ route, filter }: Probe) => `${route.method} ${route.path}${filter === undefined ? '' : `?${filter}=`}`;

    /** The information that a rival gets from a probe, in words. */
    async function learnt(probe: Probe, rival: Api): Promise<string[]> {
      const foreign = await probed.ask(rival, probe, 'acmes');
      const shown = [MARK, SECRET].filter((text) => foreign.text.includes(text)).map(() => `shows ${foreign.text.slice(0, 300)}`);
      if (foreign.status >= 500) shown.push(`${foreign.status} ${foreign.text.slice(0, 300)}`);
      if (!probe.tells) return shown;
      const nobodys = await probed.ask(rival, probe, 'nobodys');
      const [one, other] = [foreign, nobodys].map(({ text }) => probed.plain(text));
      if (foreign.status !== nobodys.status) shown.push(`${foreign.status} for acme's, ${nobodys.status} for nobody's`);
      else if (!probe.shared && one !== other) shown.push(`${foreign.status} ${one} for acme's, ${other} for nobody's`);
      return shown;
    }

    test('1,000 probes of every route by roles of another tenant reveal and change nothing', async () => {
      const before = await settled();
      expect(before.split(MARK).length).toBeGreaterThan(25);
      const { probes, missing } = probed.all(routes);
      expect(missing).toEqual([]);
      const found: string[] = [];
      let telling = 0;
      for (const probe of probes)
        for (const role of roles) {
          const leaked = await learnt(probe, rivals.get(role) as Api);
          found.push(...leaked.map((what) => `${role}: ${where(probe)} ${what}`));
          if (probe.tells) telling += 2;
        }
      for (; telling < 1000; telling += 2) {
        const rival = rivals.get('admin') as Api;
        for (const id of [ids.get('call_id') as string, unknown('call_id')])
          expect((await rival.request('GET', `/v1/calls/${id.slice(0, -2)}${(telling % 90) + 10}`)).status).toBe(404);
      }
      expect(found).toEqual([]);
      expect(await tenant.sees()).toBe(before);
    });

    test("a cursor of acme's lists gives no access to them", async () => {
      const found: string[] = [];
      let places = 0;
      for (const { path, query } of routes.filter((route) => route.query.includes('cursor') && !route.path.includes('{'))) {
        const { body } = await acme.request<{ next_cursor?: string | null }>('GET', `${path}?limit=1`);
        if (!query.includes('limit') || !body.next_cursor) continue;
        places++;
        const answer = await (rivals.get('admin') as Api).request('GET', `${path}?limit=1&cursor=${encodeURIComponent(body.next_cursor)}`);
        if (JSON.stringify(answer.body).includes(MARK) || answer.status >= 500) found.push(`${path}: ${answer.status}`);
      }
      expect(found).toEqual([]);
      expect(places).toBeGreaterThan(5);
    });

    test('each of those probes requests something that acme has: acme itself gets it', async () => {
      const order = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'];
      // Nor has it a dead letter, or an upstream that was listed: upstreams.e2e.spec classifies the tools of two tenants.
      const hasNone = /\{letter_id\}|\/classifications$/;
      const isThere = (path: string) => (tenant.has_producer || !path.startsWith('/v1/producers/')) && !hasNone.test(path);
      const probes = probed.all(routes).probes.filter(({ tells, route }) => (tells || route.has_body) && isThere(route.path));
      const vain: string[] = [];
      for (const probe of probes.sort((a, b) => order.indexOf(a.route.method) - order.indexOf(b.route.method))) {
        const by = INSTALLATIONS.test(probe.route.path) ? root : acme;
        const [own, nobodys] = [await probed.ask(by, probe, 'acmes', 'acme'), await probed.ask(by, probe, 'nobodys', 'acme')];
        // A response that something exists but cannot be done differs from one that it does not exist.
        const answered = own.status < 300 || own.status === 409 || own.text.includes(':not-undoable');
        // A write with a new name gets the same response whatever the name; a read, or a change of an existing object, does not.
        const leaked = probe.route.method === 'GET' ? [own, nobodys].map(({ text }) => probed.plain(text)) : [own.status < 300, false];
        const apart = own.status !== nobodys.status || leaked[0] !== leaked[1] || probe.shared || !probe.tells;
        if (!answered || !apart) vain.push(`${where(probe)}: ${own.status} ${own.text.slice(0, 300)}; ${nobodys.status} for nobody's`);
      }
      expect(vain).toEqual([]);
    });

    test('ids of another tenant in a body are unknown, like ids that do not exist', async () => {
      const agent = rivals.get('agent') as Api;
      const call = (more: object) =>
        agent.request<{ code: string; detail: string }>('POST', '/v1/calls', { tool: 'list_directory', inputs: { path: '.' }, ...more });
      for (const field of ['case_id', 'sources'] as const) {
        const wrapped = (id: string) => (field === 'sources' ? { sources: [id] } : { case_id: id });
        const name = field === 'sources' ? 'call_id' : 'case_id';
        const foreign = await call(wrapped(ids.get(name) as string));
        const nobodys = await call(wrapped(unknown(name)));
        expect([foreign.status, foreign.body.code]).toEqual([nobodys.status, nobodys.body.code]);
        expect(foreign.status).toBeGreaterThanOrEqual(400);
      }
    });

    test('a tenant that sends too many requests is stopped at its own cap, and another is not affected', async () => {
      const rival = rivals.get('agent') as Api;
      const flood = Array.from({ length: 120 }, (_, n) =>
        rival.call({ tool: 'probe_slow', inputs: { duration_ms: 100_000 + n } }, { prefer: 'wait=2' }),
      );
      // The flood's calls run longer than a caller waits: a response with an end comes before the end of any of them.
      const answer = await acme.call({ tool: 'list_directory', inputs: { path: '.' } }, { prefer: 'wait=20' });
      const answers = await Promise.all(flood);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(50);
      expect(statuses.filter((status) => status < 300).length).toBeGreaterThanOrEqual(20);
      expect([answer.status, answer.body.status]).toEqual([200, 'succeeded']);
      const running = answers.filter(({ status }) => status < 300).map(({ body }) => body.call_id);
      await Promise.all(running.map((call_id) => rival.request('POST', `/v1/calls/${call_id}/cancel`)));
    });
  });
}
