import { expect, test } from 'vitest';
import { CompiledMapping } from './compiled-mapping.js';
import type { MappingDefinition, MappingRule } from './definition.js';
import { definitionFaults } from './faults.js';

const tables = { vendors: { ACME: 17, Globex: 18 } };
const list = (more: Partial<MappingRule>, mode: 'strict' | 'permissive' = 'strict'): MappingDefinition => ({
  mode,
  inputs: [],
  results: [
    {
      from: '/items',
      to: '/items',
      each: [
        { from: '/id', to: '/id' },
        { from: '/partner_id', to: '/vendor', lookup_back: 'vendors' },
      ],
      ...more,
    },
  ],
  tables,
});
const items = [
  { id: 1, partner_id: 17 },
  { id: 2, partner_id: 99 },
  { id: 3, partner_id: '18' },
];
const toAgent = (definition: MappingDefinition, result: unknown) => {
  expect(definitionFaults(definition)).toEqual([]);
  return new CompiledMapping(definition, 'strict').toAgent(result);
};
const unknown = '99 is not a value of the table vendors';

test.each(['strict', 'permissive'] as const)('a list with an id that no table has is refused by the place of that id: %s', async (mode) => {
  expect((await toAgent(list({}, mode), { items }))?.issues).toEqual([{ path: '/items/1/partner_id', message: unknown }]);
});

test('a list whose rule skips what is unknown keeps the other items, with a warning that names what is left out', async () => {
  expect(await toAgent(list({ skip_unknown: true }), { items })).toEqual({
    value: {
      items: [
        { id: 1, vendor: 'ACME' },
        { id: 3, vendor: 'Globex' },
      ],
    },
    issues: [],
    warnings: [`/items: 1 of 3 items are left out: /items/1/partner_id ${unknown}`],
  });
});

test('a field without a rule still refuses the result in strict mode: it would leave out every item', async () => {
  const odd = items.map((item) => ({ ...item, extra: 1 }));
  const mapped = await toAgent(list({ skip_unknown: true }), { items: odd });
  expect(mapped?.issues).toContainEqual({ path: '/items/0/extra', message: 'is not mapped' });
  expect(mapped?.warnings).toEqual([]);
});

test('a warning names five items at most', async () => {
  const many = Array.from({ length: 40 }, (_, id) => ({ id, partner_id: 1_000 + id }));
  const mapped = await toAgent(list({ skip_unknown: true }), { items: many });
  expect([mapped?.value, mapped?.warnings[0]?.match(/is not a value/g)?.length]).toEqual([{ items: [] }, 5]);
});
