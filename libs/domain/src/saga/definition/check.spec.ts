import { describe, expect, test } from 'vitest';
import { tripOf as of, sequence, step, tools } from '../../testing/sagas/trip.js';
import { sagaChartOf } from './chart.js';
import { checkDefinition, latenciesOf } from './check.js';
import type { Block, SagaDefinition } from './definition.js';

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

test('the p99 that a step declares counts instead of that of its tool', () => {
  const slow = step('a', 'look', { use: { tool: 'look', version: '^1.0.0', inputs: { id: { from: '/inputs/id' } }, p99_ms: 900 } });
  expect(latenciesOf(of(sequence(slow, step('b', 'look'))), tools)).toEqual({ a: 900, b: 100 });
  expect(found(of(slow, { deadline_ms: 800 }))).toEqual(['fault null /deadline_ms']);
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
    expect(read(after('/inputs/nothing'))[0]).toMatch('there is no field nothing; there are: id, ids');
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

test('a write that asks for repair is warned of: only reads are repaired', () => {
  expect(found(of(step('a', 'look', { repair: true })))).toEqual([]);
  expect(found(of(step('a', 'book', { repair: true })))).toEqual(['warning a /root/repair']);
});

test('a deadline shorter than the declared p99, and invalid counts, are faults', () => {
  expect(found(of(sequence(step('book'), step('look')), { deadline_ms: 150 }))).toEqual(['fault null /deadline_ms']);
  const map: Block = {
    kind: 'map',
    name: 'm',
    over: { from: '/inputs/ids' },
    concurrency: 0,
    join: { kind: 'quorum', count: 0 },
    body: step('look'),
  };
  expect(found(of(map))).toEqual(['fault m /root/concurrency', 'fault m /root/join/count']);
});

describe('a map', () => {
  const over = (list: Extract<Block, { kind: 'map' }>['over']): Block => ({
    ...{ kind: 'map', name: 'm', over: list, concurrency: 1, join: { kind: 'all' } },
    body: step('look', 'look', {}, { from: '/item' }),
  });

  test('runs over a list that is there', () => {
    expect(found(of(over({ from: '/inputs/ids' })))).toEqual(['warning look /root/body/use/inputs/id/from']);
    expect(found(of(over({ from: '/inputs/id' })))).toContain('fault m /root/over/from');
    expect(found(of(over({ literal: 'abc' })))).toContain('fault m /root/over/literal');
    expect(found(of(over({ from: '/steps/look/output/id' })))).toContain('fault m /root/over/from');
    expect(found(of(over({ expression: 'inputs.ids' })))).toContain('warning m /root/over/expression');
  });

  test('has no item where its list is chosen', () => {
    expect(checkDefinition(of(over({ from: '/item' })), tools)[0]?.message).toMatch('only inside a map');
  });
});

test('a wait for a person or an event says what it waits for', () => {
  const wait = (kind: 'approval' | 'event' | 'time', subject?: string): Block => ({
    ...{ kind: 'wait', name: 'w', wait: kind, timeout_ms: 1, on_timeout: 'fail' },
    ...(subject ? { subject } : {}),
  });
  expect([wait('approval'), wait('event'), wait('time'), wait('event', 'paid')].map((block) => found(of(block)))).toEqual([
    ...[['fault w /root/subject'], ['fault w /root/subject']],
    ...[[], []],
  ]);
});

test('a schema of inputs that cannot be used is a fault, and nothing is compared with it', () => {
  const wrong = of(step('book'), { input_schema: { type: 'object', properties: { id: { $ref: 'https://elsewhere.example/x' } } } });
  expect(found(wrong)).toEqual(['fault null /input_schema', 'warning book /root/use/inputs/id/from']);
});

test('a definition that is nested too deep or has too many steps is not looked at any further', () => {
  const nested = (levels: number): Block => (levels === 1 ? step('book') : sequence(nested(levels - 1)));
  expect(found(of(nested(16)))).toEqual([]);
  expect(found(of(nested(17)))).toEqual([`fault book /root${'/blocks/0'.repeat(16)}`]);
  const many = (count: number) => sequence(...Array.from({ length: count }, (_, n) => step(`s${n}`, 'book')));
  expect(found(of(many(200)))).toEqual([]);
  expect(found(of(many(201)))).toEqual(['fault null /root']);
  const uses = Array.from({ length: 200 }, (_, n) => step(`s${n}`, 'nothing', { fallbacks: Array(3).fill(step('x').use) }));
  expect(checkDefinition(of(sequence(...uses)), tools)).toMatchObject([{ message: expect.stringContaining('800 uses of tools') }]);
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
