import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Api } from '../journeys/api.js';
import type { JourneyPlatform } from '../journeys/journey-world.js';
import { type KillablePlatform, killableEmbedded } from '../journeys/killable-platform.js';
import { PASSWORD, type TrytonWorld } from './tryton-world.js';

const rules = [{ id: 'operations', tools: ['create_*', 'confirm_*', 'cancel_*', 'query_*'], effect: 'allow' }];

/** A year of its own for each run: the database outlives it. */
export const freshYear = (): number => 2100 + (Math.floor(Date.now() / 1_000) % 6_000);

/** A platform whose tenant works in Tryton: connection, secret, policy and mappings. */
export class TrytonPlatform {
  private constructor(
    private readonly systems: string,
    private readonly killable: KillablePlatform,
    readonly agent: Api,
    readonly olga: Api,
  ) {}

  /** @param url of Tryton, or of a proxy before it */
  static async start(tryton: TrytonWorld, url: URL): Promise<TrytonPlatform> {
    const systems = mkdtempSync(path.join(tmpdir(), 'countersign-operations-'));
    mkdirSync(path.join(systems, 'default'));
    const connection = { connector: 'tryton', url: url.href, user: 'agent', limits: { at_once: 4, per_second: 200 } };
    writeFileSync(path.join(systems, 'default', 'connection.json'), JSON.stringify(connection));
    const killable = await killableEmbedded({ COUNTERSIGN_PACKS: './packs/operations/dist/erp-pack.js', OPERATIONS_ROOT: systems });
    const admin = killable.platform.admin();
    await set(admin, 'PUT', '/v1/secrets/workspace/operations_erp', { value: PASSWORD });
    const { version } = await set<{ version: string }>(admin, 'POST', '/v1/policies', { rules });
    await set(admin, 'PUT', '/v1/policies/active', { version, shadow: null });
    const petra = await admin.keyFor('user', 'petra', ['policy_admin']);
    for (const tool of ['create_purchase_order', 'query_purchase_order']) {
      const at = `/v1/mappings/${tool}`;
      const published = await set<{ version: number; state: string }>(admin, 'PUT', at, await tryton.mapping(tool));
      if (published.state === 'waits_for_activation') await set(petra, 'POST', `${at}/activate`, { version: published.version });
    }
    const agent = await admin.keyFor('agent', 'operations-agent', ['agent']);
    return new TrytonPlatform(systems, killable, agent, await admin.keyFor('user', 'olga', ['operator']));
  }

  get platform(): JourneyPlatform {
    return this.killable.platform;
  }

  kill(): Promise<void> {
    return this.killable.kill('executor');
  }

  async close(): Promise<void> {
    await this.platform.close();
    rmSync(this.systems, { recursive: true, force: true });
  }
}

/** A request that must succeed. */
async function set<T>(by: Api, method: string, at: string, body: unknown): Promise<T> {
  const answer = await by.request<T>(method, at, body);
  if (answer.status >= 300) throw new Error(`${method} ${at}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
