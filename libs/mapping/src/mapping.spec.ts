import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CompiledMapping } from './compiled-mapping.js';
import { convertDate } from './date.js';
import { convertDecimal } from './decimal.js';
import type { MappingDefinition, MappingRule } from './definition.js';
import { definitionFaults } from './faults.js';
import { inverseOf, isLossless } from './inverse.js';

const tables = { vendors: { ACME: 17, Globex: 18 }, products: { bolt: 'P-1', nut: 'P-2' } };
const lines: MappingRule = {
  from: '/lines',
  to: '/order_line',
  each: [
    { from: '/product', to: '/product_id', lookup: 'products' },
    { from: '/quantity', to: '/product_qty' },
    { from: '/price', to: '/price_unit', decimal: { from: { as: 'number' }, to: { as: 'string', scale: 2, point: ',', group: '.' } } },
  ],
  as: 'odoo_one2many',
};
const odoo: MappingDefinition = {
  inputs: [
    { from: '/vendor', to: '/partner_id', lookup: 'vendors' },
    { from: '/cost_center', to: '/x_studio_cost_center', default: 'none' },
    { from: '/ordered_at', to: '/date_order', date: { from: { form: 'iso' }, to: { form: 'YYYY-MM-DD HH:mm:ss', offset: '+02:00' } } },
    { to: '/company_id', default: 1 },
    lines,
  ],
  tables,
};
const order = { vendor: 'ACME', ordered_at: '2026-11-22T10:00:00Z', lines: [{ product: 'bolt', quantity: 3, price: 1234.5 }] };
const out = async (definition: MappingDefinition, inputs: unknown, mode: 'strict' | 'permissive' = 'strict') => {
  expect(definitionFaults(definition)).toEqual([]);
  return new CompiledMapping(definition, mode).toSystem(inputs);
};

test('ids by table, custom fields, defaults, dates, decimals and one2many commands', async () => {
  expect(await out(odoo, order)).toEqual({
    value: {
      partner_id: 17,
      x_studio_cost_center: 'none',
      date_order: '2026-11-22 12:00:00',
      company_id: 1,
      order_line: [[0, 0, { product_id: 'P-1', product_qty: 3, price_unit: '1.234,50' }]],
    },
    issues: [],
    warnings: [],
  });
});

test('Tryton gets one command that creates all lines', async () => {
  const tryton = {
    ...odoo,
    inputs: [
      { ...lines, as: 'tryton_create' as const },
      { from: '/vendor', drop: true as const },
      { from: '/ordered_at', drop: true as const },
    ],
  };
  expect((await out(tryton, order)).value).toEqual({
    order_line: [['create', [{ product_id: 'P-1', product_qty: 3, price_unit: '1.234,50' }]]],
  });
});

describe('a field that no rule maps', () => {
  const odd = { ...order, colour: 'red', lines: [{ ...order.lines[0], colour: 'blue' }] };

  test('is refused by name if the mapping is strict, inside lists too', async () => {
    expect((await out(odoo, odd)).issues).toEqual([
      { path: '/lines/0/colour', message: 'is not mapped' },
      { path: '/colour', message: 'is not mapped' },
    ]);
  });

  test('is passed on with a warning if the mapping is permissive', async () => {
    const { value, issues, warnings } = await out(odoo, odd, 'permissive');
    expect([issues, warnings]).toEqual([
      [],
      ['/lines/0/colour is not mapped and was passed on as it is', '/colour is not mapped and was passed on as it is'],
    ]);
    expect(value).toMatchObject({ colour: 'red', order_line: [[0, 0, { colour: 'blue', product_id: 'P-1' }]] });
  });

  test('cannot replace a mapped field, and cannot be named __proto__', async () => {
    expect((await out(odoo, { ...order, partner_id: 99 }, 'permissive')).issues).toEqual([
      { path: '/partner_id', message: 'is not mapped, and another value is at its path' },
    ]);
    const evil = JSON.parse('{"vendor":"ACME","__proto__":{"admin":true}}') as unknown;
    const { value, issues } = await out(odoo, evil, 'permissive');
    expect(issues).toMatchObject([{ path: '/__proto__' }]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

test('the mode of a definition takes precedence over the default', async () => {
  expect((await out({ ...odoo, mode: 'strict' }, { ...order, odd: 1 }, 'permissive')).issues).toHaveLength(1);
});

test('an id missing from its table, an invalid date and a number that does not fit are reported together', async () => {
  const wrong = { vendor: 'Initech', ordered_at: '2026-02-30T10:00:00Z', lines: [{ product: 'bolt', quantity: 1, price: 1.005 }] };
  expect((await out(odoo, wrong)).issues).toEqual([
    { path: '/vendor', message: '"Initech" is not in the table vendors' },
    { path: '/ordered_at', message: 'is not an existing date' },
    { path: '/lines/0/price', message: 'has more than 2 digits after the point' },
  ]);
});

describe('JSONata', () => {
  const by = (value: string, more: Partial<MappingRule> = {}): MappingDefinition => ({
    inputs: [{ to: '/out', value, uses: ['/a', '/lines'], ...more }],
    tables,
  });
  const first = async (value: string, input: object) => (await out(by(value), input)).value.out;

  test('computes a value from the document, a field and the tables', async () => {
    expect(
      await first('$sum(lines.(price * quantity))', {
        lines: [
          { price: 2, quantity: 3 },
          { price: 1, quantity: 4 },
        ],
      }),
    ).toBe(10);
    expect(await first('$lookup($tables.vendors, a)', { a: 'ACME' })).toBe(17);
    expect((await out({ inputs: [{ from: '/a', to: '/out', value: '$uppercase($) & $document.a' }] }, { a: 'x' })).value).toEqual({
      out: 'Xx',
    });
  });

  test.each([
    ['a pattern', '$match(a, /(a+)+$/)'],
    ['a pattern in a predicate', 'a ~> /(a+)+$/'],
    ['code from text', "$eval('1+1')"],
    ['the time', '$now()'],
    ['chance', '$random()'],
    ['text of any length', "$pad('x', 1000000000)"],
    ['text that is no expression', '((('],
    ['too much text', `a${' + a'.repeat(2000)}`],
  ])('is refused before it is published if it contains %s', (_title, value) => {
    expect(definitionFaults(by(value))).toMatchObject([{ path: '/inputs/0' }]);
  });

  test.each([
    ['recursion', '($f := function($n) { 1 + $f($n + 1) }; $f(0))'],
    ['a loop by tail calls', '($f := function($n) { $f($n + 1) }; $f(0))'],
    ['a long range', '[1..9000000]'],
    ['text that doubles', "($f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }; $f('xxxxxxxx', 40))"],
    ['lists that double', '($f := function($s, $n) { $n = 0 ? $s : $f($append($s, $s), $n - 1) }; $f([1,2,3,4], 40))'],
    ['a function as a value', '$sum'],
    ['an error', "$error('no')"],
  ])('ends within its bounds: %s', async (_title, value) => {
    const { issues } = await new CompiledMapping(by(value), 'strict').toSystem({ a: 'x' });
    expect(issues).toHaveLength(1);
  });

  test('two concurrent documents do not affect each other', async () => {
    const mapping = new CompiledMapping(by('$sum([1..10].($document.a)) / 10'), 'strict');
    const all = await Promise.all(Array.from({ length: 5 }, (_, a) => mapping.toSystem({ a })));
    expect(all.map(({ value }) => value.out)).toEqual(Array.from({ length: 5 }, (_, a) => a));
  });
});

describe('results', () => {
  const back: MappingDefinition = {
    ...odoo,
    results: [
      { from: '/id', to: '/order_id' },
      { from: '/partner_id', to: '/vendor', lookup_back: 'vendors' },
    ],
  };

  test('are mapped back to the shape that agents know', async () => {
    expect(await new CompiledMapping(back, 'strict').toAgent({ id: 4, partner_id: 18 })).toEqual({
      value: { order_id: 4, vendor: 'Globex' },
      issues: [],
      warnings: [],
    });
    expect(new CompiledMapping(odoo, 'strict').toAgent({ id: 4 })).toBeUndefined();
  });

  test('with an unmapped field are refused for a read; for a write, which has happened, the field is omitted with a warning', async () => {
    expect((await new CompiledMapping(back, 'strict').toAgent({ id: 4, extra: 1 }))?.issues).toEqual([
      { path: '/extra', message: 'is not mapped' },
    ]);
    expect(await new CompiledMapping(back, 'strict').toAgent({ id: 4, extra: 1 }, true)).toEqual({
      value: { order_id: 4 },
      issues: [],
      warnings: ['/extra is not mapped and was left out'],
    });
  });
});

describe('a definition is refused with the place of each fault', () => {
  test.each<[string, MappingDefinition, string]>([
    ['a place that is no pointer', { inputs: [{ from: 'a', to: '/b' }] }, '/inputs/0'],
    ['a place in every object', { inputs: [{ from: '/a', to: '/__proto__/b' }] }, '/inputs/0'],
    ['a table that is not there', { inputs: [{ from: '/a', to: '/b', lookup: 'none' }] }, '/inputs/0'],
    ['a rule that takes nothing', { inputs: [{ to: '/b' }] }, '/inputs/0'],
    ['items that are skipped without a list', { inputs: [], results: [{ from: '/a', to: '/b', skip_unknown: true }] }, '/results/0'],
    ['lines of an agent that are skipped', { inputs: [{ ...lines, skip_unknown: true }], tables }, '/inputs/0/skip_unknown'],
    [
      'two rules for one place',
      {
        inputs: [
          { from: '/a', to: '/x' },
          { from: '/b', to: '/x' },
        ],
      },
      '/inputs/1/to',
    ],
    [
      'a rule that writes into another',
      {
        inputs: [
          { from: '/a', to: '/x' },
          { from: '/b', to: '/x/y' },
        ],
      },
      '/inputs/1/to',
    ],
    ['a fault inside', { inputs: [{ from: '/a', to: '/b', each: [{ from: '/c' }] }] }, '/inputs/0/each/0'],
    ['a date form of nothing', { inputs: [{ from: '/a', to: '/b', date: { from: { form: 'iso' }, to: { form: 'DD.MM' } } }] }, '/inputs/0'],
    ['an inverse that there is not', { inputs: [{ from: '/a', to: '/b', value: '$ + 1' }], results: 'inverse' }, '/results'],
    [
      'a table that cannot be read backwards',
      { inputs: [{ from: '/a', to: '/b', lookup: 't' }], results: 'inverse', tables: { t: { a: 1, b: 1 } } },
      '/tables/t',
    ],
  ])('%s', (_title, definition, path) => {
    expect(definitionFaults(definition).map((fault) => fault.path)).toContain(path);
  });
});

describe('mapping and inverse', () => {
  const rules: MappingRule[] = [
    { from: '/vendor', to: '/partner/id', lookup: 'vendors' },
    { from: '/cost~1center', to: '/x_studio_cost_center' },
    { from: '/at', to: '/date_order', date: { from: { form: 'iso' }, to: { form: 'DD.MM.YYYY HH:mm:ss', offset: '-03:30' } } },
    { from: '/total', to: '/amount', decimal: { from: { as: 'number' }, to: { as: 'string', point: ',', group: '.' } } },
    { from: '/cents', to: '/money', decimal: { from: { as: 'integer', scale: 2 }, to: { as: 'string', scale: 2 } } },
    lines,
  ];
  const price = fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100);
  const document = fc.record(
    {
      vendor: fc.constantFrom('ACME', 'Globex'),
      'cost/center': fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
      at: fc
        .date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })
        .map((date) => new Date(Math.floor(date.getTime() / 1000) * 1000).toISOString()),
      total: fc.oneof(
        price,
        fc
          .double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
          .filter((n) => !Object.is(n, -0) && (n === 0 || Math.abs(n) > 1e-15)),
      ),
      cents: fc.integer({ min: -1e12, max: 1e12 }),
      lines: fc.array(fc.record({ product: fc.constantFrom('bolt', 'nut'), quantity: fc.integer(), price }), { maxLength: 4 }),
    },
    { requiredKeys: [] },
  );

  test.each(['odoo_one2many', 'tryton_create'] as const)(
    'a lossless mapping followed by its inverse restores the input (%s)',
    async (as) => {
      const inputs = rules.map((rule) => (rule.each ? { ...rule, as } : rule));
      expect(isLossless(inputs)).toBe(true);
      const mapping = new CompiledMapping({ inputs, results: 'inverse', tables }, 'strict');
      await fc.assert(
        fc.asyncProperty(document, async (given) => {
          const there = await mapping.toSystem(given);
          expect(there.issues).toEqual([]);
          expect(await mapping.toAgent(JSON.parse(JSON.stringify(there.value)))).toEqual({ value: given, issues: [], warnings: [] });
        }),
        { numRuns: 500 },
      );
    },
  );

  test('the inverse of the inverse is the original mapping', () => {
    const back = inverseOf(rules);
    expect(Array.isArray(back) && inverseOf(back)).toEqual(rules);
  });

  test('times and numbers are converted exactly in every form, or refused', () => {
    expect(convertDate(1_700_000_000, { form: 'unix_s' }, { form: 'iso_date' })).toBe('2023-11-14');
    expect(convertDate('29.02.2024', { form: 'DD.MM.YYYY' }, { form: 'unix_ms' })).toBe(Date.UTC(2024, 1, 29));
    for (const bad of ['2023-02-29', '2023-1-01', '2023-01-01T', 'x'])
      expect(() => convertDate(bad, { form: 'iso_date' }, { form: 'iso' })).toThrow();
    expect(convertDecimal(1e21, { as: 'number' }, { as: 'string' })).toBe('1000000000000000000000');
    expect(convertDecimal(1.5e-7, { as: 'number' }, { as: 'string' })).toBe('0.00000015');
    expect(convertDecimal('1.234.567,8', { as: 'string', point: ',', group: '.' }, { as: 'integer', scale: 2 })).toBe(123456780);
    for (const bad of ['1.23.456', '1,2,3', '', '1e5', ' 1'])
      expect(() => convertDecimal(bad, { as: 'string', point: ',', group: '.' }, { as: 'number' })).toThrow();
    expect(() => convertDecimal('0.12345678901234567890', { as: 'string' }, { as: 'number' })).toThrow('more digits');
  });
});
