import { describe, expect, test } from 'vitest';
import { sagaChartOf } from './chart.js';
import { checkDefinition } from './check.js';
import type { Block, SagaDefinition, StepBlock } from './definition.js';
import type { KnownTool } from './faults.js';

const text = { type: 'string' };
const object = (fields: object) => ({ type: 'object', properties: fields, required: Object.keys(fields), additionalProperties: false });
const tool = (name: string, more: Partial<KnownTool> = {}): KnownTool => ({
  ...{
    name,
    version: '1.0.0',
    state: 'active',
    input_schema: object({ id: text }),
    output_schema: object({ id: text, count: { type: 'integer' } }),
  },
  ...{ is_write: true, reversibility: 'reversible', has_compensate: true, latency_p99_ms: 100 },
  ...more,
});
const tools = [
  tool('book'),
  tool('look', { is_write: false }),
  tool('pay', { reversibility: 'irreversible', has_compensate: false }),
  tool('note', { has_compensate: false }),
  tool('old', { state: 'deprecated' }),
];
const step = (
  name: string,
  used = name,
  more: Partial<StepBlock> = {},
  id: StepBlock['use']['inputs'][string] = { from: '/inputs/id' },
): StepBlock => ({
  ...{ kind: 'step', name, use: { tool: used, version: '^1.0.0', inputs: { id } } },
  ...more,
});
const of = (root: Block, more: Partial<SagaDefinition> = {}): SagaDefinition => ({
  name: 'trip',
  version: '1',
  wait_max_ms: 1000,
  input_schema: object({ id: text }),
  root,
  ...more,
});
const sequence = (...blocks: Block[]): Block => ({ kind: 'sequence', blocks });
const found = (definition: SagaDefinition) =>
  checkDefinition(definition, tools).map(({ severity, step: name, pointer }) => `${severity} ${name} ${pointer}`);

test('a valid definition has no faults', () => {
  expect(found(of(sequence(step('book'), step('pay', 'pay', {}, { from: '/steps/book/output/id' }))))).toEqual([]);
});

test('all faults are reported at once, each with its step and pointer', () => {
  const wrong = of(
    sequence(step('a', 'boook'), step('a', 'book'), step('c', 'book', {}, { from: '/steps/d/output/id' }), step('d', 'old')),
  );
  expect(found(wrong)).toEqual([
    'fault a /root/blocks/1/name',
    'fault a /root/blocks/0/use/tool',
    'fault c /root/blocks/2/use/inputs/id/from',
    'warning d /root/blocks/3/use/version',
  ]);
  expect(checkDefinition(wrong, tools)[1]?.message).toBe('there is no tool boook; near: book, look');
});

describe('a pointer', () => {
  const read = (...blocks: Block[]) => checkDefinition(of(sequence(...blocks)), tools).map(({ message }) => message);
  const after = (from: string) => step('z', 'look', {}, { from });

  test('must fit the type of the input', () => {
    expect(read(step('a', 'look'), after('/steps/a/output/count'))[0]).toMatch('does not fit');
  });

  test('refers only to earlier steps that always run: not to itself, a later one, a branch or a step with a condition', () => {
    expect(read(after('/steps/z/output/id'))).toEqual(['/steps/z/output/id: z may not have run before this step']);
    expect(read(step('a', 'look', { when: 'x' }), after('/steps/a/output/id'))[0]).toMatch('may not have run');
    const branch: Block = { kind: 'branch', name: 'b', choices: [{ when: 'x', block: step('a', 'look') }] };
    expect(read(branch, after('/steps/a/output/id'))[0]).toMatch('may not have run');
  });

  test('names an existing field, and reads an item only inside a map', () => {
    expect(read(after('/inputs/nothing'))[0]).toMatch('there is no field nothing; there are: id');
    expect(read(after('/item/id'))[0]).toMatch('only inside a map');
    expect(read(after('/elsewhere'))[0]).toMatch('begins with');
    expect(read(step('a', 'look', {}, { expression: 'x' }))[0]).toMatch('checked only when it runs');
  });
});

describe('effects', () => {
  test('an irreversible step must be last or require approval', () => {
    expect(found(of(sequence(step('pay'), step('look'))))).toEqual(['fault pay /root/blocks/0']);
    expect(found(of(sequence(step('pay', 'pay', { asks: true }), step('look'))))).toEqual([]);
  });

  test('an effect without a compensation is a warning', () => {
    expect(found(of(step('note')))).toEqual(['warning note /root']);
  });

  test.each([{ kind: 'first_success' }, { kind: 'quorum', count: 1 }] as const)(
    'a join that drops losers ($kind) takes only what can be undone',
    (join) => {
      const parallel = (a: string): Block => ({ kind: 'parallel', join, branches: [step('a', a), step('b', 'look')] });
      expect(found(of(parallel('book')))).toEqual([]);
      expect(found(of(parallel('note')))).toContain('fault a /root/branches/0');
    },
  );
});

test('a deadline shorter than the declared p99, and invalid counts, are faults', () => {
  expect(found(of(sequence(step('book'), step('look')), { deadline_ms: 150 }))).toEqual(['fault null /deadline_ms']);
  const map: Block = {
    kind: 'map',
    name: 'm',
    over: { from: '/inputs/id' },
    concurrency: 0,
    join: { kind: 'quorum', count: 0 },
    body: step('look'),
  };
  expect(found(of(map))).toEqual(['fault m /root/concurrency', 'fault m /root/join/count']);
});

test('a chart has escaped labels: no text of a definition becomes syntax', () => {
  const evil = step('a', 'x"] --> n1\nclick n1 "javascript:alert(1)"', { manual: 'do' });
  const chart = sagaChartOf(
    of({
      kind: 'parallel',
      join: { kind: 'all' },
      branches: [evil, { kind: 'wait', name: 'w', wait: 'time', timeout_ms: 1, on_timeout: 'continue' }],
    }),
  );
  expect(chart).toContain('n3["a#58; x#34;#93; --#62; n1 click n1 #34;javascript#58;alert#40;1#41;#34; or by hand"]');
  for (const line of chart.trim().split('\n').slice(1)) expect(line).toMatch(/^ {2}n\d+(\W+"[^"]*"\W+| -->(\|"[^"]*"\|)? n\d+)$/);
});
