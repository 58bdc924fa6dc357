import { EventEmitter, once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Pace } from './pace.js';

test('no more requests run at once than the limit says, and each gets its turn', async () => {
  const pace = new Pace({ at_once: 2, per_second: 10_000 });
  const seen = { running: 0, most: 0, ended: 0 };
  const request = async () => {
    seen.running++;
    seen.most = Math.max(seen.most, seen.running);
    await new Promise((turn) => setImmediate(turn));
    seen.running--;
    seen.ended++;
  };
  await Promise.all(Array.from({ length: 20 }, () => pace.within(request)));
  expect(seen).toEqual({ running: 0, most: 2, ended: 20 });
});

test('a request that throws frees its place', async () => {
  const pace = new Pace({ at_once: 1, per_second: 10_000 });
  const fails = () => pace.within(async () => Promise.reject(new Error('no')));
  await expect(fails()).rejects.toThrow('no');
  expect(await pace.within(async () => 'next')).toBe('next');
});

test('a request that settles a lost answer goes before all that wait, and is never refused', async () => {
  const pace = new Pace({ at_once: 1, per_second: 10_000 });
  const gate = new EventEmitter();
  const opened = once(gate, 'open');
  const order: string[] = [];
  const held = Array.from({ length: 201 }, (_, at) => pace.within(() => opened.then(() => order.push(`new ${at}`))));
  const settled = pace.first().within(async () => order.push('settles'));
  gate.emit('open');
  await Promise.all([...held, settled]);
  expect(order.slice(0, 3)).toEqual(['new 0', 'settles', 'new 1']);
});

test('what comes when too many wait is refused at once, without an effect', async () => {
  const pace = new Pace({ at_once: 1, per_second: 10_000 });
  const gate = new EventEmitter();
  const opened = once(gate, 'open');
  const held = Array.from({ length: 201 }, () => pace.within(() => opened));
  await expect(pace.within(async () => 'late')).rejects.toMatchObject({ code: 'RATE_LIMIT', more: { retryable: true, effect: 'none' } });
  gate.emit('open');
  await Promise.all(held);
});

test('in no interval more requests start than the limit says, not even across the end of one', async () => {
  const pace = new Pace({ at_once: 5, per_second: 20 });
  const started_ms: number[] = [];
  const request = async () => {
    started_ms.push(performance.now());
  };
  await pace.within(request);
  await setTimeout(40);
  await Promise.all(Array.from({ length: 3 }, () => pace.within(request)));
  const gaps_ms = started_ms.slice(1).map((at_ms, n) => Math.round(at_ms - (started_ms[n] ?? at_ms)));
  expect(Math.min(...gaps_ms), JSON.stringify(gaps_ms)).toBeGreaterThanOrEqual(49);
});
