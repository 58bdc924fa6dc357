import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compiledBundles } from './bundle/bundle-cache.js';
import { fieldsRead } from './bundle/fields-read.js';
import { compileExpression } from './cel/compile.js';
import { demandsOf } from './limits/demands.js';
import type { Limit } from './limits/limited-call.js';
import { aContract, aRule, inForce, ruledBy } from './testing/ruled.js';

const inputs = { path: 'other', total: 7 };
const mapped = { path: 'imp', cents: 700 };
const mapped_json = JSON.stringify(mapped);
const cap = (max: number, more: object = {}) => ({ cap: { path: '/total', max, otherwise: 'lower' as const, ...more } });

describe("rules judge the agent's form and the mapped form of the inputs", () => {
  test('each rule names its form; without a mapping both forms are the same', () => {
    const imp = aRule('imp', 'deny', { when: 'mapped.path == "imp"' });
    const other = aRule('other', 'deny', { when: 'inputs.path == "other"' });
    expect(ruledBy([imp], { mapped_json }, inputs)).toMatchObject({ effect: 'deny', rule: 'imp' });
    expect(ruledBy([other], { mapped_json }, inputs)).toMatchObject({ effect: 'deny', rule: 'other' });
    expect(ruledBy([imp], {}, inputs).rule).toBe('default.commit_high');
    expect(ruledBy([imp], {}, { path: 'imp' })).toMatchObject({ effect: 'deny', rule: 'imp' });
  });

  test('a dangerous operation is found in either form', () => {
    const danger = { command: 'rm -rf /' };
    const calm = { command: 'list' };
    for (const [requested, runs] of [
      [danger, calm],
      [calm, danger],
    ])
      expect(ruledBy([aRule('go', 'allow')], { mapped_json: JSON.stringify(runs) }, requested)).toMatchObject({
        effect: 'deny',
        rule: 'builtin.dangerous_operation',
      });
  });

  test('a cap on the mapped form refuses and never lowers, whatever it sets', () => {
    const obligations = [{ cap: { path: '/cents', max: 500, otherwise: 'lower' as const, form: 'mapped' as const } }];
    const ruling = ruledBy([aRule('cap', 'allow', { obligations })], { mapped_json }, inputs);
    expect(ruling).toMatchObject({ effect: 'deny', rule: 'cap', reason: { message: 'rule cap caps mapped /cents at 500' } });
    expect(ruling.inputs_json).toBeUndefined();
    expect(ruledBy([aRule('cap', 'allow', { obligations })], { mapped_json: '{"cents":500}' }, inputs).effect).toBe('allow');
  });

  test('lowered inputs are denied until they are mapped, and are then judged in both forms', () => {
    const rules = [aRule('cap', 'allow', { obligations: [cap(5)] }), aRule('five', 'deny', { when: 'mapped.cents == 500' })];
    const first = ruledBy(rules, { mapped_json }, inputs);
    expect(first).toMatchObject({ effect: 'deny', rule: 'policy.unmapped', unmapped_json: '{"path":"other","total":5}' });
    const remapped = { inputs_json: first.unmapped_json as string, mapped_json: '{"cents":500,"path":"imp"}' };
    expect(ruledBy(rules, { mapped_json, remapped }, inputs)).toMatchObject({ effect: 'deny', rule: 'five' });
    expect(ruledBy([rules[0] as never], { mapped_json, remapped }, inputs)).toMatchObject({
      effect: 'allow',
      inputs_json: first.unmapped_json,
    });
    const stale = { inputs_json: '{"path":"other","total":6}', mapped_json: '{}' };
    expect(ruledBy(rules, { mapped_json, remapped: stale }, inputs).rule).toBe('policy.unmapped');
    const both = [
      ...rules.slice(0, 1),
      aRule('held', 'allow', { obligations: [{ cap: { path: '/cents', max: 499, otherwise: 'refuse', form: 'mapped' } }] }),
    ];
    expect(ruledBy(both, { mapped_json, remapped }, inputs)).toMatchObject({ effect: 'deny', rule: 'held' });
  });

  test('inputs that run never exceed a cap on them, whatever both forms contain (1,000 cases)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 20 }),
        (requested, most, runs) => {
          const obligations = [cap(most), { cap: { path: '/total', max: most, otherwise: 'refuse' as const, form: 'mapped' as const } }];
          const remapped = { inputs_json: JSON.stringify({ total: most }), mapped_json: JSON.stringify({ total: runs }) };
          const forms = { mapped_json: JSON.stringify({ total: runs }), remapped };
          const { effect } = ruledBy([aRule('cap', 'allow', { obligations })], forms, { total: requested });
          expect(effect).toBe(runs <= most ? 'allow' : 'deny');
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('a limit counts the form that it names', () => {
    const limit = (amount: string): Limit =>
      ({
        limit_id: 'l',
        kind: 'cumulative',
        scope: 'tenant',
        subjects: [],
        tools: [],
        max: 10_000,
        window_ms: 1,
        amount,
        per: null,
        on_exceeded: 'deny',
        defer_timeout_ms: null,
      }) as unknown as Limit;
    const form = { inputs_json: mapped_json, inputs_digest: '', mapping_version: 1, permissive: false, warnings: [] };
    const call = {
      tool: 'create_purchase_order',
      run_id: null,
      context: { run_budget: null },
      inputs_json: JSON.stringify(inputs),
      mapped: form,
    };
    const on = { tenant_id: 't', call, contract: aContract('commit_high'), at_ms: 0 } as never;
    expect(demandsOf([limit('inputs.total')], on)).toMatchObject([{ amount_micro: 7_000_000 }]);
    expect(demandsOf([limit('mapped.cents')], on)).toMatchObject([{ amount_micro: 700_000_000 }]);
    expect(demandsOf([limit('inputs.cents')], on)).toMatchObject({ rule: 'limit.l' });
  });
});

describe('the fields of the inputs that rules, caps and limits read', () => {
  const read = (text: string) => {
    const program = compileExpression(text);
    return 'expression' in program ? program.expression.uses.fields : undefined;
  };

  test('by name or by an index; a computed index means any field', () => {
    expect(read('inputs.total > 1 && has(inputs.path) && mapped["cents"] > 1')).toEqual({
      inputs: new Set(['total', 'path']),
      mapped: new Set(['cents']),
    });
    expect(read('inputs.lines.all(l, l.price < 5)')?.inputs).toEqual(new Set(['lines']));
    for (const text of ['size(inputs) > 1', 'inputs[context.skill] == 1', 'inputs.exists(f, f == "x")'])
      expect(read(text)?.inputs).toEqual(new Set(['*']));
    expect(read('context.seq > 1')).toBeUndefined();
  });

  test('of all rules about the tool, their caps, and the limits; an expression that cannot be compiled may read everything', () => {
    const contract = aContract('commit_high');
    const rules = [
      aRule('a', 'deny', { when: 'inputs.total > 1' }),
      aRule('b', 'deny', { when: 'inputs.elsewhere > 1', tools: { names: ['other_tool'] } }),
      aRule('c', 'allow', { obligations: [{ cap: { path: '/a~1b/0', max: 1, otherwise: 'lower' } }] }),
    ];
    const limits = [{ tools: ['create_*'], amount: 'mapped.cents', per: 'inputs.supplier' }] as unknown as Limit[];
    const found = fieldsRead([inForce(rules)], limits, contract);
    expect([[...found.inputs], [...found.mapped]]).toEqual([['total', 'a/b', 'supplier'], ['cents']]);
    const unusable = compiledBundles.of({ version: 'x', digest: 'x', bundle_json: '{' });
    expect(fieldsRead([unusable], [], contract).inputs.has('*')).toBe(true);
  });
});
