import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { from, literal, move, parallel, read, saga, sequence, step } from './blocks.js';
import { SagaPlatform } from './saga-platform.js';

let platform: SagaPlatform;
beforeAll(async () => {
  platform = await SagaPlatform.open();
}, 60_000);
afterAll(() => platform.close());

describe('forward', () => {
  test('steps run in order, and an output is the input of a later step', async () => {
    platform.write('list.txt', 'one');
    const reading = step('look', 'read_file', { path: from('/inputs/path') });
    const copy = step('copy', 'write_file', { path: literal('copy.txt'), content: from('/steps/look/output/content') });
    await platform.start('in-order', saga(sequence(reading, copy)), { path: 'list.txt' });
    expect(await platform.ended('in-order')).toEqual(['started', 'look?', 'look succeeded', 'copy?', 'copy succeeded', 'completed']);
    expect(platform.read('copy.txt')).toBe('one');
  });

  test('an expression and a condition read inputs and outputs; a false condition skips the step', async () => {
    platform.write('n.txt', 'three');
    const look = read('look', 'n.txt');
    const joined = step('join', 'write_file', {
      path: literal('joined.txt'),
      content: { expression: 'inputs.greeting & " " & steps.look.output.content' },
    });
    const skipped = read('never', 'n.txt', { when: 'steps.look.output.content == "four"' });
    await platform.start('expressions', saga(sequence(look, skipped, joined)), { greeting: 'hello' });
    expect((await platform.ended('expressions')).filter((line) => line.startsWith('never'))).toEqual(['never skipped']);
    expect(platform.read('joined.txt')).toBe('hello three');
  });

  test('a branch runs its first true choice, and a map runs its body for each item', async () => {
    const write = step('write', 'write_file', { path: from('/item/name'), content: from('/item/text') });
    const each = { kind: 'map', name: 'each', over: from('/inputs/files'), concurrency: 2, join: { kind: 'all' }, body: write } as const;
    const branch = {
      kind: 'branch',
      name: 'which',
      choices: [
        { when: 'size(inputs.files) == 0', block: read('none', 'nothing.txt') },
        { when: 'size(inputs.files) == 3', block: each },
      ],
    } as const;
    const files = ['a', 'b', 'c'].map((name) => ({ name: `${name}.map`, text: name }));
    await platform.start('mapped', saga(branch), { files });
    expect((await platform.ended('mapped')).filter((line) => line.endsWith('succeeded')).sort()).toEqual(
      [0, 1, 2].map((at) => `write[${at}] succeeded`),
    );
    expect(files.map(({ name }) => platform.read(name))).toEqual(['a', 'b', 'c']);
  });

  test('the next level runs after a failure without an effect', async () => {
    platform.write('second.txt', '2');
    const fallback = { tool: 'read_file', version: '^1.0.0', inputs: { path: literal('second.txt') } };
    await platform.start('levels', saga(read('look', 'first.txt', { fallbacks: [fallback] })));
    expect(await platform.ended('levels')).toEqual(['started', 'look?', 'look failed', 'look?1', 'look succeeded', 'completed']);
  });

  test('the first branch that succeeds wins, and the other one is dropped', async () => {
    platform.write('fast.txt', 'f');
    const branches = parallel({ kind: 'first_success' }, read('gone', 'no-such.txt'), read('there', 'fast.txt'));
    await platform.start('race', saga(branches));
    expect((await platform.ended('race')).at(-1)).toBe('completed');
  });
});

describe('compensation', () => {
  test('a failure undoes what took effect, newest first', async () => {
    platform.write('m1.txt', 'm');
    const root = sequence(move('one', 'm1.txt', 'm2.txt'), move('two', 'm2.txt', 'm3.txt'), read('fails', 'missing.txt'));
    await platform.start('back', saga(root));
    const story = await platform.ended('back');
    expect(story.slice(-5)).toEqual(['undo two?', 'undo two executed', 'undo one?', 'undo one executed', 'compensated']);
    expect([platform.read('m1.txt'), platform.read('m2.txt'), platform.read('m3.txt')]).toEqual(['m', undefined, undefined]);
  });

  test('an input that cannot be evaluated fails its step with VALIDATION_ERROR, and the saga is undone', async () => {
    platform.write('v1.txt', 'v');
    const broken = step('broken', 'read_file', { path: from('/steps/one/output/no_such_member') });
    await platform.start('unprepared', saga(sequence(move('one', 'v1.txt', 'v2.txt'), broken)));
    expect((await platform.ended('unprepared')).at(-1)).toBe('compensated');
    const records = await platform.records('unprepared');
    const failed = records.find(
      ({ event_type, event }) => event_type === 'saga_step_ended' && 'step_id' in event && event.step_id === 'broken',
    );
    expect(failed?.event).toMatchObject({ call_id: null, error: { code: 'VALIDATION_ERROR' } });
    expect(platform.read('v1.txt')).toBe('v');
  });

  test('a declared compensation runs with inputs from the output of its step', async () => {
    platform.write('d1.txt', 'd');
    const compensation = {
      tool: 'move_file',
      version: '^1.0.0',
      inputs: { source: from('/steps/one/output/destination'), destination: literal('d-undone.txt') },
    };
    const root = sequence(move('one', 'd1.txt', 'd2.txt', { compensation }), read('fails', 'missing.txt'));
    await platform.start('declared', saga(root));
    expect((await platform.ended('declared')).at(-1)).toBe('compensated');
    expect(platform.read('d-undone.txt')).toBe('d');
  });

  test('after an irreversible step a failure asks a person; accepting it completes the saga', async () => {
    const write = step('write', 'write_file', { path: literal('pivot.txt'), content: literal('p') });
    await platform.start('pivot', saga(sequence(write, read('after', 'missing.txt'))));
    expect((await platform.reaches('pivot', 'saga_ticket_opened')).at(-1)).toBe('ticket failed_after_pivot');
    await platform.control('pivot', 'accept', 'after');
    expect((await platform.ended('pivot')).slice(-2)).toEqual(['accept', 'completed']);
    expect(platform.read('pivot.txt')).toBe('p');
  });
});

describe('requests', () => {
  test('a saga_id starts one saga, also after that has ended', async () => {
    platform.write('once.txt', 'o');
    await platform.start('once', saga(read('look', 'once.txt')));
    await platform.ended('once');
    await platform.start('once', saga(read('look', 'once.txt')));
    const story = await platform.reaches('once', 'saga_request_refused');
    expect(story.filter((line) => line === 'started')).toHaveLength(1);
    expect(story.at(-1)).toMatch(/^refused: a saga with this id exist/);
  });

  test('a request that the saga does not permit is refused on the record', async () => {
    await platform.control('no-such-saga', 'pause');
    expect(await platform.reaches('no-such-saga', 'saga_request_refused')).toEqual(['refused: there is no such saga: start it first']);
  });

  test('a paused saga starts nothing, and goes on when it is resumed', async () => {
    const wait = { kind: 'wait', name: 'go', wait: 'event', subject: 'go', timeout_ms: 60_000, on_timeout: 'fail' } as const;
    platform.write('paused.txt', 'x');
    await platform.start('paused', saga(sequence(wait, read('look', 'paused.txt'))));
    await platform.reaches('paused', 'saga_wait_opened');
    await platform.control('paused', 'pause');
    await platform.reaches('paused', 'saga_controlled');
    await platform.answer('paused', 'go', { by: 'event' });
    await platform.reaches('paused', 'saga_wait_ended');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await platform.records('paused')).some(({ event_type }) => event_type === 'saga_step_requested')).toBe(false);
    await platform.control('paused', 'resume');
    expect((await platform.ended('paused')).at(-1)).toBe('completed');
  });

  test('an answer of a person is the output of the wait', async () => {
    const wait = { kind: 'wait', name: 'ask', wait: 'approval', subject: 'which?', timeout_ms: 60_000, on_timeout: 'fail' } as const;
    const write = step('write', 'write_file', { path: literal('answered.txt'), content: { expression: '$string(inputs.n)' } });
    await platform.start('asked', saga(sequence(wait, write)), { n: 7 });
    await platform.reaches('asked', 'saga_wait_opened');
    await platform.answer('asked', 'ask', { yes: true });
    expect((await platform.ended('asked')).at(-1)).toBe('completed');
    expect(platform.read('answered.txt')).toBe('7');
  });

  test('a later step reads the answer of an event and of an approval by pointer, an expression and a condition', async () => {
    const wait = (name: string, kind: 'approval' | 'event') =>
      ({ kind: 'wait', name, wait: kind, subject: name, timeout_ms: 60_000, on_timeout: 'fail' }) as const;
    const path = { expression: 'steps.paid.output.file & ".txt"' };
    const write = step(
      'write',
      'write_file',
      { path, content: from('/steps/allowed/output/text') },
      { when: 'steps.paid.output.amount > 1' },
    );
    await platform.start('reads', saga(sequence(wait('paid', 'event'), wait('allowed', 'approval'), write)));
    await platform.reaches('reads', 'saga_wait_opened');
    await platform.answer('reads', 'paid', { file: 'receipt', amount: 2 });
    await platform.until('reads', (record) => record.event_type === 'saga_wait_opened' && record.event.step_id === 'allowed');
    await platform.answer('reads', 'allowed', { text: 'yes' });
    expect((await platform.ended('reads')).at(-1)).toBe('completed');
    expect(platform.read('receipt.txt')).toBe('yes');
  });

  test('a step that reads an answer that nobody gave fails, and the saga is undone', async () => {
    const wait = { kind: 'wait', name: 'ask', wait: 'approval', subject: 'ok?', timeout_ms: 60_000, on_timeout: 'fail' } as const;
    const write = step('write', 'write_file', { path: literal('silent.txt'), content: from('/steps/ask/output/text') });
    await platform.start('silent', saga(sequence(wait, write)));
    await platform.reaches('silent', 'saga_wait_opened');
    await platform.answer('silent', 'ask', null);
    expect((await platform.ended('silent')).slice(-2)).toEqual(['write failed', 'aborted']);
  });

  test('a wait that runs out fails or goes on as its definition says', async () => {
    const wait = (name: string, on_timeout: 'fail' | 'continue') =>
      ({ kind: 'wait', name, wait: 'event', subject: 'never', timeout_ms: 300, on_timeout }) as const;
    await platform.start('runs-out', saga(sequence(wait('first', 'continue'), wait('second', 'fail'))));
    expect((await platform.ended('runs-out')).slice(-3)).toEqual(['wait second', 'wait second expired', 'aborted']);
  });

  test('a cancelled saga is undone', async () => {
    platform.write('c1.txt', 'c');
    const wait = { kind: 'wait', name: 'go', wait: 'event', subject: 'go', timeout_ms: 60_000, on_timeout: 'fail' } as const;
    await platform.start('cancelled', saga(sequence(move('one', 'c1.txt', 'c2.txt'), wait)));
    await platform.reaches('cancelled', 'saga_wait_opened');
    await platform.control('cancelled', 'cancel');
    expect((await platform.ended('cancelled')).slice(-4)).toEqual(['wait go withdrawn', 'undo one?', 'undo one executed', 'compensated']);
    expect(platform.read('c1.txt')).toBe('c');
  });
});
