import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Api } from '../journeys/api.js';
import { PASSWORD } from './tryton-world.js';

/** The module of the pack for systems outside. */
export const ERP_PACK = './packs/operations/dist/erp-pack.js';

/** A folder of systems whose tenant works in Tryton. @param url of Tryton, or of a proxy before it */
export function systemsOnTryton(url: URL, tenant = 'default'): string {
  const systems = mkdtempSync(path.join(tmpdir(), 'countersign-operations-'));
  mkdirSync(path.join(systems, tenant));
  const connection = { connector: 'tryton', url: url.href, user: 'agent', limits: { at_once: 4, per_second: 200 } };
  writeFileSync(path.join(systems, tenant, 'connection.json'), JSON.stringify(connection));
  return systems;
}

/** Gives the tenant its password of Tryton and its mappings, by the name of their tool. */
export async function connectTenant(admin: Api, mappings: Readonly<Record<string, object>>): Promise<void> {
  await set(admin, 'PUT', '/v1/secrets/workspace/operations_erp', { value: PASSWORD });
  const petra = await admin.keyFor('user', 'petra', ['policy_admin']);
  for (const [tool, mapping] of Object.entries(mappings)) {
    const at = `/v1/mappings/${tool}`;
    const published = await set<{ version: number; state: string }>(admin, 'PUT', at, mapping);
    if (published.state === 'waits_for_activation') await set(petra, 'POST', `${at}/activate`, { version: published.version });
  }
}

/** A request that must succeed. */
export async function set<T>(by: Api, method: string, at: string, body: unknown): Promise<T> {
  const answer = await by.request<T>(method, at, body);
  if (answer.status >= 300) throw new Error(`${method} ${at}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
