import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CompiledMapping } from './compiled-mapping.js';
import type { MappingRule } from './definition.js';
import { beyondPlainMoves, type GuardedFields } from './plain-moves.js';

/** Agents send these three fields; the first two are guarded. A rule reads `cents` of the mapped form. */
const relied: GuardedFields = {
  inputs: (field) => ['path', 'total'].includes(field),
  mapped: (field) => field === 'cents',
};
const found = (...inputs: MappingRule[]) => beyondPlainMoves({ inputs }, relied).map(({ path, message }) => `${path} ${message}`);
const iso = { form: 'iso' };

describe('which rules of a mapping need a second person', () => {
  test('moves, dates, decimals and lists of commands do not', () => {
    const decimal = { from: { as: 'number' as const }, to: { as: 'integer' as const, scale: 2 } };
    expect(found({ from: '/path', to: '/x_path' }, { from: '/total', to: '/cents', decimal })).toEqual([]);
    expect(found({ from: '/path', to: '/path', date: { from: iso, to: { form: 'unix_s' } } })).toEqual([]);
    expect(found({ from: '/total', to: '/lines', as: 'odoo_one2many', each: [{ from: '/a', to: '/b' }] })).toEqual([]);
  });

  test('a rule that changes the value of a guarded field does, also inside it, and where a rule reads the result', () => {
    const changes: MappingRule[] = [{ lookup: 't' }, { lookup_back: 't' }, { default: 1 }, { out_of: 'odoo_one2many' }];
    for (const change of changes) {
      expect(found({ from: '/path', to: '/x', ...change })).toHaveLength(1);
      expect(found({ from: '/note', to: '/cents', ...change })).toHaveLength(1);
      expect(found({ from: '/path', to: '/lines', each: [{ from: '/a', to: '/b', ...change }] })).toEqual([
        expect.stringContaining('/inputs/0/each/0 '),
      ]);
      expect(found({ from: '/note', to: '/x_note', ...change })).toEqual([]);
    }
    expect(found({ from: '/path', drop: true })).toEqual([expect.stringContaining('drop')]);
    expect(found({ from: '/note', drop: true })).toEqual([]);
  });

  test('an expression and a constant always do', () => {
    expect(found({ from: '/note', to: '/x', value: '$' })).toEqual([expect.stringContaining('value')]);
    expect(found({ to: '/company', default: 3 })).toEqual([expect.stringContaining('constant')]);
    expect(found({ from: '/note', to: '/x', each: [{ to: '/y', default: 1 }] })).toHaveLength(1);
  });

  test('a field that replaces another one does: rules would read one and the other would run', () => {
    expect(found({ from: '/note', to: '/path' })).toHaveLength(1);
    expect(found({ from: '/note', to: '/path' }, { from: '/path', to: '/note' })).toHaveLength(2);
    expect(found({ from: '/path/a', to: '/path/b' })).toHaveLength(1);
    expect(
      found({
        from: '/path',
        to: '/lines',
        each: [
          { from: '/price', to: '/quantity' },
          { from: '/quantity', to: '/price' },
        ],
      }),
    ).toHaveLength(2);
  });

  test('without a second person, guarded fields keep their value under any name (2,000 mappings)', async () => {
    const names = ['path', 'total', 'note', 'cents', 'x'];
    const rule = fc.record(
      {
        from: fc.constantFrom('/path', '/total', '/note'),
        to: fc.constantFrom(...names.map((name) => `/${name}`)),
        lookup: fc.constant('t'),
        default: fc.constant('made'),
        value: fc.constant('"made"'),
      },
      { requiredKeys: ['to'] },
    );
    const document = { path: 'p', total: 't', note: 'n' };
    const tables = { t: { p: 'made', t: 'made', n: 'made' } };
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(rule, { maxLength: 4, selector: ({ to }) => to }), async (inputs) => {
        if (beyondPlainMoves({ inputs }, relied).length > 0) return;
        const { value } = await new CompiledMapping({ inputs, tables }, 'permissive').toSystem(document);
        for (const field of ['path', 'total'] as const) expect([undefined, document[field]]).toContain(value[field]);
        expect(value.cents).not.toBe('made');
        for (const { from, to } of inputs)
          if (from === '/path' || from === '/total') expect(value[to.slice(1)]).toBe(document[from.slice(1) as 'path' | 'total']);
      }),
      { numRuns: 2_000 },
    );
  });
});
