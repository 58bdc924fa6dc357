import { rmSync } from 'node:fs';
import type { MappingDefinition } from '@countersign/mapping';
import { ROOT_SETTING } from '@countersign/pack-operations/erp/connection';
import { pack } from '@countersign/pack-operations/erp-pack';
import type { Tool } from '@countersign/tool-kit';
import { contractChecks } from '@countersign/tool-kit/contract-checks';
import type { ContractTestOptions } from '@countersign/tool-kit/contract-tests';
import { ToolProbe } from '@countersign/tool-kit/tool-probe';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { mappedTool } from './mapped-tool.js';
import { systemsOnTryton } from './tryton-tenant.js';
import { PASSWORD, TrytonWorld } from './tryton-world.js';

const tryton = new TrytonWorld();
const trade = tryton.trade();
await trade.open();
const { post_vendor_bill: mapping } = (await tryton.mappings(['post_vendor_bill'])) as { post_vendor_bill: MappingDefinition };

/** Orders and numbers of the world of a check: a bill is posted once, so that each world needs its own. */
const world = { number: 0, orders: {} as Record<string, number> };

async function prepare(): Promise<void> {
  world.number++;
  world.orders = { po_first: await trade.purchase(3), po_second: await trade.purchase(3) };
}

/** The example of the pack, with the names of this world. */
function definition(): MappingDefinition {
  const numbers = Object.fromEntries(['A-77', 'A-78'].map((name) => [name, `${name}-${trade.code}-${world.number}`]));
  const names: Record<string, string> = { '/purchase_order': 'orders', '/invoice_number': 'numbers' };
  const inputs = mapping.inputs.map((rule) => {
    const lookup = rule.from === rule.to ? undefined : names[rule.from ?? ''];
    return lookup ? { ...rule, lookup } : rule;
  });
  return { ...mapping, inputs, tables: { ...mapping.tables, orders: world.orders, numbers } };
}

const systems = systemsOnTryton(tryton.url, 'test');
afterAll(() => rmSync(systems, { recursive: true, force: true }));

const bill = {
  supplier: 'sup_gamma',
  purchase_order: 'po_first',
  invoice_number: 'A-77',
  invoice_date: new Date().toISOString().slice(0, 10),
  total: '27.00',
};

const options: ContractTestOptions = {
  golden: [{ title: 'a bill', input: bill }],
  generated_runs: 8,
  context: { secrets: { get: async () => PASSWORD } },
  // Numbers that Tryton gave.
  volatile: [/\d+/g],
  states: [{ title: 'two bills of a supplier', a: bill, b: { ...bill, purchase_order: 'po_second', invoice_number: 'A-78' } }],
  counterpart: {
    common: 'the tenants of this spec share one database of Tryton',
    prepare,
    settings: () => ({ [ROOT_SETTING]: systems }),
    snapshot: async () => {
      const bills = await Promise.all(Object.values(world.orders).map((id) => tryton.bills(id)));
      return bills.map((of_order) => of_order.map(({ state }) => state));
    },
  },
};

/** Tryton never forgets a posted bill: these checks need a database of their own for each world. The ledger passes them. */
const WITH_A_NEW_DATABASE = [
  'verify: finds the effect of a run, finds none without a run, and changes nothing',
  'no state is kept between runs: a new world gives the same results as the first',
];

beforeEach(prepare);

const tool = mappedTool(pack.tools.find(({ contract }) => contract.name === 'post_vendor_bill') as Tool, definition);
const checks = contractChecks(new ToolProbe(tool, options));

test('the checks that are left out are those of the kit', () => {
  expect(checks.map(({ title }) => title)).toEqual(expect.arrayContaining(WITH_A_NEW_DATABASE));
});

for (const { title, run } of checks.filter((check) => !WITH_A_NEW_DATABASE.includes(check.title))) test(title, run);

test('verify: finds the posted bill, and no draft', async () => {
  const probe = new ToolProbe(tool, options);
  const output = await probe.run(bill, { key: 'a key' });
  expect(await probe.verify(bill, output, 'a key')).toEqual({ kind: 'verified' });
  const [draft] = await tryton.bills(world.orders.po_second);
  const other = { ...(output as object), bill_id: String(draft?.id) };
  expect(await probe.verify(bill, other, 'another key')).toMatchObject({ kind: 'contradicted' });
});
