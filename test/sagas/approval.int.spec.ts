import type { SagaPlan } from '@countersign/domain';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Approvers, asking, HOUR_MS } from './approvers.js';
import { from, move, read, saga, sequence, step } from './blocks.js';
import { SagaPlatform } from './saga-platform.js';

const PLAN = '$approval';
const covering = asking('moves', 'move_file', { saga_max_ms: HOUR_MS });

let platform: SagaPlatform;
let people: Approvers;
beforeAll(async () => {
  platform = await SagaPlatform.open();
  people = await Approvers.of(platform);
}, 60_000);
afterAll(() => platform.close());
beforeEach(() => people.rules(covering));

describe('one approval', () => {
  test('covers every step that was shown: nobody is asked again', async () => {
    platform.write('a1.txt', 'a');
    const second = step('two', 'move_file', { source: from('/inputs/middle'), destination: { expression: 'inputs.stem & "3.txt"' } });
    await platform.start('covered', saga(sequence(move('one', 'a1.txt', 'a2.txt'), second)), { middle: 'a2.txt', stem: 'a' });
    const approval_id = await people.asked('covered', PLAN);
    const { body } = await people.anna.request<{ call: { inputs: SagaPlan } }>('GET', `/v1/approvals/${approval_id}`);
    expect(
      body.call.inputs.steps.map(({ step_id, tool, inputs, undo, covered_by, asks_because }) => [
        step_id,
        tool,
        inputs,
        undo,
        covered_by,
        asks_because,
      ]),
    ).toEqual([
      ['one', 'move_file', { source: 'a1.txt', destination: 'a2.txt' }, 'move_file', ['moves'], null],
      ['two', 'move_file', { source: 'a2.txt', destination: 'a3.txt' }, 'move_file', ['moves'], null],
    ]);
    await people.approve('covered', PLAN);
    const story = await platform.ended('covered');
    expect(story).toEqual([
      ...['started', `${PLAN}?`, `wait ${PLAN}`, `wait ${PLAN} answered`, `${PLAN} succeeded`],
      ...['one?', 'one succeeded', 'two?', 'two succeeded', 'completed'],
    ]);
    expect(platform.read('a3.txt')).toBe('a');
  });

  test('a denied plan aborts the saga before anything runs', async () => {
    platform.write('d1.txt', 'd');
    await platform.start('denied', saga(move('one', 'd1.txt', 'd2.txt')));
    const approval_id = await people.asked('denied', PLAN);
    await people.anna.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'deny', reason: 'no' });
    expect((await platform.ended('denied')).at(-1)).toBe('aborted');
    expect(platform.read('d1.txt')).toBe('d');
  });

  test('is not asked for where no rule allows it', async () => {
    await people.rules(asking('moves', 'move_file', {}));
    platform.write('n1.txt', 'n');
    await platform.start('not-allowed', saga(move('one', 'n1.txt', 'n2.txt')));
    await people.approve('not-allowed', 'one');
    expect(await platform.ended('not-allowed')).not.toContain(`${PLAN}?`);
  });

  test('is skipped where nothing in the saga would be asked about', async () => {
    await people.rules({ ...covering, when: 'inputs.source == "secret.txt"' });
    platform.write('s1.txt', 's');
    await platform.start('nothing-asks', saga(move('one', 's1.txt', 's2.txt')));
    expect(await platform.ended('nothing-asks')).toEqual(['started', `${PLAN} skipped`, 'one?', 'one succeeded', 'completed']);
  });

  test('needs every rule of its steps: each is a part, and all must be met', async () => {
    const writes = asking('writes', 'write_file', { approver_roles: ['operator'], saga_max_ms: HOUR_MS });
    await people.rules(covering, writes);
    platform.write('p1.txt', 'p');
    const write = step('two', 'write_file', { path: { literal: 'p3.txt' }, content: { literal: 'x' } });
    await platform.start('parts', saga(sequence(move('one', 'p1.txt', 'p2.txt'), write)));
    await people.approve('parts', PLAN);
    await people.approve('parts', PLAN, people.bert);
    expect((await platform.ended('parts')).filter((line) => line.startsWith('wait'))).toEqual([`wait ${PLAN}`, `wait ${PLAN} answered`]);
  });
});

describe('a step that was not shown as it runs asks by itself', () => {
  test('an input from an earlier step, unless the rule leaves it open', async () => {
    const root = (name: string) =>
      sequence(
        move('one', `${name}1.txt`, `${name}2.txt`),
        step('two', 'move_file', { source: from('/steps/one/output/destination'), destination: from('/inputs/to') }),
      );
    platform.write('o1.txt', 'o');
    await platform.start('open', saga(root('o')), { to: 'o3.txt' });
    await people.approve('open', PLAN);
    await people.approve('open', 'two');
    expect((await platform.ended('open')).at(-1)).toBe('completed');

    await people.rules(asking('moves', 'move_file', { saga_max_ms: HOUR_MS, saga_open_inputs: ['source'] }));
    platform.write('l1.txt', 'l');
    await platform.start('left-open', saga(root('l')), { to: 'l3.txt' });
    await people.approve('left-open', PLAN);
    expect((await platform.ended('left-open')).filter((line) => line.startsWith('wait'))).toEqual([
      `wait ${PLAN}`,
      `wait ${PLAN} answered`,
    ]);
    expect(platform.read('l3.txt')).toBe('l');
  });

  test('a step that the definition marks as asking, and the items of a list that is not known yet', async () => {
    platform.write('i1.txt', 'x');
    platform.write('list.txt', 'x');
    const body = step('each', 'move_file', { source: { literal: 'm2.txt' }, destination: { expression: '"m3.txt"' } });
    const map = {
      kind: 'map',
      name: 'all',
      over: { expression: '[steps.look.output.content]' },
      concurrency: 1,
      join: { kind: 'all' },
      body,
    } as const;
    platform.write('m1.txt', 'm');
    const root = sequence(read('look', 'list.txt'), move('one', 'm1.txt', 'm2.txt'), map, move('last', 'm3.txt', 'm4.txt', { asks: true }));
    await platform.start('marked', saga(root));
    await people.approve('marked', PLAN);
    await people.approve('marked', 'each[0]');
    await people.approve('marked', 'last');
    expect((await platform.ended('marked')).at(-1)).toBe('completed');
  });

  test('the items of a list in the inputs are shown, and covered', async () => {
    const body = step('each', 'move_file', { source: from('/item/a'), destination: from('/item/b') });
    const map = { kind: 'map', name: 'all', over: from('/inputs/files'), concurrency: 2, join: { kind: 'all' }, body } as const;
    for (const name of ['q1.txt', 'q2.txt']) platform.write(name, name);
    await platform.start('items', saga(map), {
      files: [
        { a: 'q1.txt', b: 'q3.txt' },
        { a: 'q2.txt', b: 'q4.txt' },
      ],
    });
    await people.approve('items', PLAN);
    expect((await platform.ended('items')).filter((line) => line.startsWith('wait each'))).toEqual([]);
    expect(platform.read('q4.txt')).toBe('q2.txt');
  });
});
