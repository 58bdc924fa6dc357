import type { SagaDefinition } from '@countersign/domain';
import { sequence, step, tools, tripOf } from '@countersign/domain/testing/sagas/trip';
import { describe, expect, test } from 'vitest';
import { compileDefinition } from './compile-definition.js';

const look = (when?: string) => step('look', 'look', when === undefined ? {} : { when });
const faults = async (definition: SagaDefinition) =>
  (await compileDefinition(definition, tools)).faults.map(({ step: name, pointer, message }) => `${name} ${pointer}: ${message}`);
const after = (when: string) => faults(tripOf(sequence(step('book'), look(when))));

describe('a condition', () => {
  test('reads the inputs of the saga and the outputs of steps before it', async () => {
    expect(await after('inputs.id == steps.book.output.id && steps.book.output.count > 1.0')).toEqual([]);
  });

  test.each([
    ['inputs.id ==', 'line 1, column 1'],
    ['principal.id == "x"', 'there is no variable principal'],
    ['inputs.sum > 1.0', 'inputs has no field sum'],
    ['steps.look.output.id == "x"', 'steps has no field look'],
    ['steps.book.output.total > 1.0', 'steps.book.output has no field total'],
    ['item == 1', 'there is no variable item'],
    ['inputs.id', 'a condition is a bool'],
  ])('%s is a fault', async (when, message) => {
    expect(await after(when)).toEqual([expect.stringMatching(/^look \/root\/blocks\/1\/when: line 1, column \d+: /)]);
    expect((await after(when))[0]).toContain(message.startsWith('line') ? 'column' : message);
  });

  test('has an item inside a map', async () => {
    const map = { kind: 'map', name: 'm', over: { from: '/inputs/ids' }, concurrency: 1, join: { kind: 'all' } } as const;
    expect(await faults(tripOf({ ...map, body: look('item == "x" && index > 1.0') }))).toEqual([]);
  });

  test('reads what a fallback or a person may give without its type', async () => {
    const book = step('book', 'book', { manual: 'book it' });
    expect(await faults(tripOf(sequence(book, look('steps.book.output.anything == 1'))))).toEqual([]);
  });
});

describe('an expression', () => {
  const given = (expression: string) => compileDefinition(tripOf(step('book', 'book', {}, { expression })), tools);

  test('is a warning: its type is checked when it runs', async () => {
    const { faults: found, warnings } = await given('inputs.id & "x"');
    expect([found, warnings]).toMatchObject([[], [{ pointer: '/root/use/inputs/id/expression' }]]);
  });

  test.each(['(', '$eval("1")', '$random()', '/a+/', 'inputs[$match(id, /x/)]'])(
    '%s is a fault, and no warning beside it',
    async (text) => {
      const { faults: found, warnings } = await given(text);
      expect([found, warnings]).toMatchObject([[{ step: 'book', pointer: '/root/use/inputs/id/expression' }], []]);
    },
  );
});

test('a definition that is too large is not compiled', async () => {
  const many = sequence(...Array.from({ length: 201 }, () => look('(')));
  expect(await faults(tripOf(many))).toEqual([expect.stringContaining('201 steps')]);
});
