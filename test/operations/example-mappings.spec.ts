import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CompiledMapping, definitionFaults, type MappingDefinition } from '@countersign/mapping';
import { pack } from '@countersign/pack-operations';
import { expect, test } from 'vitest';

const ROOT = 'packs/operations/mappings';
const files = ['odoo', 'tryton'].flatMap((system) => readdirSync(path.join(ROOT, system)).map((file) => path.join(system, file)));
const read = (file: string) => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as MappingDefinition;

test.each(files)('%s maps a tool of the pack, and has no faults', (file) => {
  expect(definitionFaults(read(file))).toEqual([]);
  expect(pack.tools.map(({ contract }) => contract.name)).toContain(path.basename(file, '.json'));
});

const odoo = (tool: string) => new CompiledMapping(read(`odoo/${tool}.json`), 'strict');

test('an order of Odoo comes back in the words of the agent', async () => {
  const order = {
    po_id: '10001',
    status: 'draft',
    external_url: 'https://acme.odoo.example/odoo/purchase.order/10001',
    name: 'P00012',
    partner_id: 1042,
    currency_id: 125,
    date_planned: '2026-05-01 00:00:00',
    amount_total: 1250,
    order_line: [{ id: 1, product_id: 8821, product_qty: 100, price_unit: 12.5 }],
  };
  const { po_id, status, external_url } = order;
  const line_items = [{ product: 'p_widget_a', quantity: 100, unit_price: '12.50' }];
  const told = { supplier: 'sup_alpha', currency: 'EUR', delivery_date: '2026-05-01', total: '1250.00', line_items };
  const mapped = await odoo('query_purchase_order').toAgent(order);
  expect(mapped).toEqual({ value: { po_id, status, external_url, ...told }, issues: [], warnings: [] });
});

test('a quote for Odoo keeps the word of the agent for its customer beside that of Odoo', async () => {
  const quote = { customer: 'cus_northwind', line_items: [{ product: 'p_widget_a', quantity: 2, unit_price: '21.00' }], note: 'soon' };
  const order_line = [[0, 0, { product_id: 8821, product_uom_qty: 2, price_unit: 21 }]];
  const mapped = await odoo('create_quote').toSystem(quote);
  expect(mapped).toEqual({ value: { customer: 'cus_northwind', partner_id: 1050, note: 'soon', order_line }, issues: [], warnings: [] });
});
