import { rmSync } from 'node:fs';
import { describe } from 'vitest';
import { DistributedPlatform } from '../journeys/distributed-platform.js';
import { describeKorso } from './korso-journeys.js';
import { freshYear } from './tryton-platform.js';
import { connectTenant, ERP_PACK, systemsOnTryton } from './tryton-tenant.js';
import { TrytonWorld } from './tryton-world.js';

/** In the tables of the mapping, and not in Tryton: somebody deleted the supplier there. */
const GONE = { sup_nobody: 999_999 };

const tryton = new TrytonWorld();
const systems = systemsOnTryton(tryton.url);
const delivery_date = `${freshYear()}-05-01`;
let platform: DistributedPlatform | undefined;

describe('on Kafka with Tryton', () => {
  describeKorso({
    delivery_date,
    start: async () => {
      platform = await DistributedPlatform.start({ COUNTERSIGN_PACKS: ERP_PACK, OPERATIONS_ROOT: systems });
      await connectTenant(platform.admin(), await tryton.mappings(['create_purchase_order', 'query_purchase_order'], GONE));
      return platform;
    },
    close: async () => {
      await platform?.close();
      rmSync(systems, { recursive: true, force: true });
    },
    quote: () => tryton.quote(),
    states: async () => new Map((await tryton.ordersOn(delivery_date)).map(({ id, state }) => [String(id), state])),
    confirmByHand: (po_id) => tryton.confirm(po_id),
    letCancelsDoNothing: () => undefined,
  });
});
