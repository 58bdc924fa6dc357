import { rmSync } from 'node:fs';
import { ROOT_SETTING } from '@countersign/pack-operations/erp/connection';
import { pack } from '@countersign/pack-operations/erp-pack';
import type { Tool } from '@countersign/tool-kit';
import { contractTests, type Golden } from '@countersign/tool-kit/contract-tests';
import { afterAll } from 'vitest';
import { mappedTool } from './mapped-tool.js';
import { systemsOnTryton } from './tryton-tenant.js';
import { PASSWORD, TrytonWorld } from './tryton-world.js';

// Contract tests need their inputs when they are declared: what people did in Tryton is done before.
const tryton = new TrytonWorld();
const trade = tryton.trade();
await trade.open();
await trade.count(10);
const sale = await trade.sale(12);
await trade.assign(sale);
await trade.invoice(sale, new Date().toISOString().slice(0, 10));
const product = trade.code;

const systems = systemsOnTryton(tryton.url, 'test');
afterAll(() => rmSync(systems, { recursive: true, force: true }));

const goldens: Record<string, [Golden, ...Golden[]]> = {
  query_stock: [
    {
      title: 'of a product',
      input: { product },
      output: { items: [{ product, location: 'STO', on_hand: 10, reserved: 10, available: 0 }] },
    },
    { title: 'at another place', input: { product, location: 'nowhere' }, output: { items: [], next_cursor: null } },
  ],
  query_reservation: [
    { title: 'of an order', input: { order: String(sale) }, output: { items: [{ product, quantity: 10, location: 'STO' }] } },
  ],
  list_shortages: [{ title: 'of a supplier', input: { supplier: 'sup_gamma' }, output: { next_cursor: null } }],
  list_overdue_invoices: [{ title: 'of a customer', input: { as_of: '2099-01-01', customer: 'cus_northwind', limit: 1 } }],
};
const mappings = await tryton.mappings(Object.keys(goldens));

for (const [name, golden] of Object.entries(goldens)) {
  const tool = pack.tools.find(({ contract }) => contract.name === name) as Tool;
  contractTests(
    mappedTool(tool, () => mappings[name] as never),
    {
      golden,
      generated_runs: 12,
      context: { secrets: { get: async () => PASSWORD } },
      counterpart: {
        common: 'the tenants of this spec share one database of Tryton',
        settings: () => ({ [ROOT_SETTING]: systems }),
        snapshot: () => trade.moves(),
      },
    },
  );
}
