import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { Turns } from './turns.js';

const soon = () => Date.now() + 60_000;

test('only as many runs begin as the system serves; the others wait and then run', async () => {
  const turns = new Turns(2);
  const gate = new EventEmitter();
  const opened = once(gate, 'open');
  const begun: number[] = [];
  const runs = [1, 2, 3].map((n) =>
    turns.within(soon(), () => {
      begun.push(n);
      return opened;
    }),
  );
  await new Promise((turn) => setImmediate(turn));
  expect(begun).toEqual([1, 2]);
  gate.emit('open');
  await Promise.all(runs);
  expect(begun).toEqual([1, 2, 3]);
});

test('a run whose turn would come too late is refused at once, without an effect, and told when to come again', async () => {
  const turns = new Turns(1);
  const gate = new EventEmitter();
  const opened = once(gate, 'open');
  const held = Array.from({ length: 21 }, () => turns.within(soon(), () => opened));
  const refused = turns.within(Date.now() + 10_000, async () => 'ran');
  await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMIT', more: { retryable: true, retry_after_s: 10, effect: 'none' } });
  gate.emit('open');
  await Promise.all(held);
  expect(await turns.within(Date.now() + 10_000, async () => 'ran')).toBe('ran');
});

test('a run that waited for more than half of its time does not begin', async () => {
  const turns = new Turns(1);
  const gate = new EventEmitter();
  const opened = once(gate, 'open');
  const held = turns.within(soon(), () => opened);
  const ran: string[] = [];
  const late = turns.within(Date.now() + 40, async () => ran.push('late'));
  setTimeout(() => gate.emit('open'), 60);
  await expect(late).rejects.toMatchObject({ code: 'RATE_LIMIT', more: { effect: 'none' } });
  await held;
  expect(ran).toEqual([]);
});

test('a run that throws frees its turn', async () => {
  const turns = new Turns(1);
  await expect(turns.within(soon(), async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.within(soon(), async () => 'next')).toBe('next');
});
