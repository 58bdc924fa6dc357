import { rmSync } from 'node:fs';
import type { MappingDefinition } from '@countersign/mapping';
import type { Api } from '../journeys/api.js';
import type { JourneyPlatform } from '../journeys/journey-world.js';
import { type KillablePlatform, killableEmbedded } from '../journeys/killable-platform.js';
import { connectTenant, ERP_PACK, set, systemsOnTryton } from './tryton-tenant.js';
import type { TrytonWorld } from './tryton-world.js';

const ALLOWED = ['create_*', 'confirm_*', 'cancel_*', 'post_*', 'query_*', 'list_*', 'propose_*'];
const rules = [{ id: 'operations', tools: ALLOWED, effect: 'allow' }];

const MAPPED = ['create_purchase_order', 'query_purchase_order', 'post_vendor_bill', 'create_quote', 'query_sales_order'];

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
  static async start(tryton: TrytonWorld, url: URL, mappings?: Record<string, MappingDefinition>): Promise<TrytonPlatform> {
    const systems = systemsOnTryton(url);
    const killable = await killableEmbedded({ COUNTERSIGN_PACKS: ERP_PACK, OPERATIONS_ROOT: systems });
    const admin = killable.platform.admin();
    const { version } = await set<{ version: string }>(admin, 'POST', '/v1/policies', { rules });
    await set(admin, 'PUT', '/v1/policies/active', { version, shadow: null });
    await connectTenant(admin, mappings ?? (await tryton.mappings(MAPPED)));
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
