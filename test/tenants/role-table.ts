import { beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import type { TestedPlatform } from '../journeys/journey-world.js';
import { filled, type Route, routesOf } from './api-routes.js';
import { raw } from './probes.js';

const ROLES = ['agent', 'approver', 'operator', 'auditor', 'policy_admin', 'tool_author', 'admin'];
const WITHOUT = 'this needs one of the roles';

/** Whether the route refuses this caller because of its role. */
async function refused(route: Route, caller: Api): Promise<boolean> {
  const url = filled(route.path, (name) => (name === 'scope' ? 'user' : `no-such-${name.replaceAll('_', '-')}`));
  const { status, content_type, text } = await raw(caller, route.method, url, route.method === 'GET' ? undefined : {}, 0);
  expect([route.method, route.path, status < 500 || status === 503]).toEqual([route.method, route.path, true]);
  if (status !== 403 || !content_type.includes('json')) return false;
  return (JSON.parse(text) as { detail?: string }).detail?.startsWith(WITHOUT) === true;
}

/** Tests which roles each route accepts, and that none accepts a request without a token. */
export function describeRoleTable(at: { platform: TestedPlatform }): void {
  describe('roles', () => {
    let routes: Route[];
    const callers = new Map<string, Api>();
    beforeAll(async () => {
      routes = await routesOf(at.platform.base);
      for (const role of ROLES) callers.set(role, await at.platform.admin().keyFor('user', `only-${role}`, [role]));
    });

    test('every route accepts exactly the roles that its document names', async () => {
      const table: string[] = [];
      const wrong: string[] = [];
      expect(routes.length).toBeGreaterThan(40);
      for (const route of routes) {
        if (route.open) continue;
        const admitted: string[] = [];
        for (const role of ROLES) if (!(await refused(route, callers.get(role) as Api))) admitted.push(role);
        const declared = route.roles.length === 0 ? ROLES : [...route.roles, 'admin'];
        const line = `${route.method} ${route.path}: ${admitted.length === ROLES.length ? 'all' : admitted.join(' ')}`;
        table.push(line);
        if (new Set([...admitted, ...declared]).size !== admitted.length || admitted.length !== new Set(declared).size)
          wrong.push(`${line} (its document says ${declared.length === ROLES.length ? 'all' : declared.join(' ')})`);
      }
      expect(wrong).toEqual([]);
      expect(table.filter((line) => !line.endsWith(': all')).length).toBeGreaterThan(20);
    });

    test('without a token, and with a revoked one, only the open routes respond', async () => {
      const admin = at.platform.admin();
      const principal = { kind: 'user', id: 'gone', roles: ['admin'] };
      const { body } = await admin.request<{ key: string; key_id: string }>('POST', '/v1/keys', { principal });
      expect((await admin.as(body.key).request('GET', '/v1/keys')).status).toBe(200);
      expect((await admin.request('DELETE', `/v1/keys/${body.key_id}`)).status).toBe(204);
      for (const route of routes) {
        const url = filled(route.path, () => 'x');
        for (const token of [body.key, 'csk_none', 'a.b.c', '']) {
          const answer = await admin.as(token).request(route.method, url, route.method === 'GET' ? undefined : {});
          expect([route.method, route.path, answer.status === 401]).toEqual([route.method, route.path, !route.open]);
        }
      }
    });
  });
}
