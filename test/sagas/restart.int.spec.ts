import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { literal, move, read, saga, sequence, step } from './blocks.js';
import { SagaPlatform } from './saga-platform.js';

let platform: SagaPlatform;
beforeEach(async () => {
  platform = await SagaPlatform.open();
}, 60_000);
afterEach(() => platform.close());

const wait = { kind: 'wait', name: 'go', wait: 'event', subject: 'go', timeout_ms: 600_000, on_timeout: 'fail' } as const;

describe('a restart', () => {
  test('a waiting saga goes on after a restart, from its snapshot', async () => {
    platform.write('r1.txt', 'r');
    await platform.start('waits', saga(sequence(move('one', 'r1.txt', 'r2.txt'), wait, read('fails', 'missing.txt'))));
    await platform.reaches('waits', 'saga_wait_opened');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await platform.restart();
    await platform.answer('waits', 'go', {});
    const end = ['fails?', 'fails failed', 'undo one?', 'undo one executed', 'compensated'];
    expect((await platform.ended('waits')).slice(-5)).toEqual(end);
    expect(platform.read('r1.txt')).toBe('r');
  });

  test('a waiting saga goes on after its tables were lost, from its records', async () => {
    const write = step('write', 'write_file', { path: literal('after.txt'), content: literal('a') });
    await platform.start('lost', saga(sequence(wait, write)));
    await platform.reaches('lost', 'saga_wait_opened');
    await platform.restart({ lose_database: true });
    await platform.answer('lost', 'go', {});
    expect((await platform.ended('lost')).at(-1)).toBe('completed');
    expect(platform.read('after.txt')).toBe('a');
  });

  test('a saga that ended starts nothing after a restart without tables, even if it is requested again', async () => {
    platform.write('e1.txt', 'e');
    await platform.start('ended', saga(move('one', 'e1.txt', 'e2.txt')));
    await platform.ended('ended');
    await platform.restart({ lose_database: true });
    platform.write('e1.txt', 'again');
    await platform.start('ended', saga(move('one', 'e1.txt', 'e3.txt')));
    const story = await platform.reaches('ended', 'saga_request_refused');
    expect(story.filter((line) => line === 'started')).toHaveLength(1);
    expect(platform.read('e1.txt')).toBe('again');
  });

  test('a time that passes while the process is down is seen after the start', async () => {
    const moment = { kind: 'wait', name: 'later', wait: 'time', timeout_ms: 1_000, on_timeout: 'continue' } as const;
    platform.write('t.txt', 't');
    await platform.start('timed', saga(sequence(moment, read('look', 't.txt'))));
    await platform.reaches('timed', 'saga_wait_opened');
    await platform.restart();
    expect((await platform.ended('timed')).at(-1)).toBe('completed');
  });
});
