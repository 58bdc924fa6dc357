import { readFileSync } from 'node:fs';
import { CompiledMapping, definitionFaults, type MappingDefinition } from '@countersign/mapping';
import { expect, test } from 'vitest';

const definition = JSON.parse(readFileSync('packs/operations/mappings/odoo/create_purchase_order.json', 'utf8')) as MappingDefinition;

/** What the agent calls, and what Hermes receives for an Odoo customer with a cost center of its own. */
const agent = {
  supplier: 'sup_alpha',
  line_items: [{ product: 'p_widget_a', quantity: 100, unit_price: '12.50' }],
  delivery_date: '2026-05-01',
  cost_center: 'project_x',
};
const odoo = {
  partner_id: 1042,
  order_line: [[0, 0, { product_id: 8821, product_qty: 100, price_unit: 12.5 }]],
  date_planned: '2026-05-01 00:00:00',
  x_studio_cost_center: 'project_x',
};

test('the mapping has no faults', () => {
  expect(definitionFaults(definition)).toEqual([]);
});

test('the words of the agent become those of Odoo, to the letter', async () => {
  expect(await new CompiledMapping(definition, 'strict').toSystem(agent)).toEqual({ value: odoo, issues: [], warnings: [] });
});

test('another field of the customer is one rule more', async () => {
  const asked = { ...agent, custom_fields: { incoterm: 'DAP' } };
  expect((await new CompiledMapping(definition, 'strict').toSystem(asked)).issues).toEqual([
    { path: '/custom_fields', message: 'is not mapped' },
  ]);
  const inputs = [...definition.inputs, { from: '/custom_fields/incoterm', to: '/x_studio_incoterm' }];
  const { value, issues } = await new CompiledMapping({ ...definition, inputs }, 'strict').toSystem(asked);
  expect([value, issues]).toEqual([{ ...odoo, x_studio_incoterm: 'DAP' }, []]);
});

test.each<[string, object, string]>([
  ['an unknown supplier', { supplier: 'sup_nobody' }, '/supplier'],
  ['an unknown product', { line_items: [{ ...agent.line_items[0], product: 'p_x' }] }, '/line_items/0/product'],
  ['a date that does not exist', { delivery_date: '2026-02-30' }, '/delivery_date'],
])('%s is refused by the name that the agent used', async (_title, change, path) => {
  const { issues } = await new CompiledMapping(definition, 'strict').toSystem({ ...agent, ...change });
  expect(issues.map((issue) => issue.path)).toEqual([path]);
});
