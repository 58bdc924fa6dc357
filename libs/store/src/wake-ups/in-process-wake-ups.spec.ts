import { expect, test } from 'vitest';
import { InProcessWakeUps } from './in-process-wake-ups.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('payloads reach every handler of their channel, in order, and no handler of another channel', async () => {
  const wakeUps = new InProcessWakeUps();
  const got: string[] = [];
  await wakeUps.subscribe('a', (payload) => got.push(`1${payload}`));
  await wakeUps.subscribe('a', (payload) => got.push(`2${payload}`));
  await wakeUps.subscribe('b', (payload) => got.push(`3${payload}`));
  wakeUps.publish('a', [Buffer.from('x'), Buffer.from('y')]);
  wakeUps.publish('nobody', [Buffer.from('z')]);
  expect(got).toEqual([]);
  await turn();
  expect(got).toEqual(['1x', '1y', '2x', '2y']);
});

test('after close no payload is delivered', async () => {
  const wakeUps = new InProcessWakeUps();
  const got: Buffer[] = [];
  await wakeUps.subscribe('a', (payload) => got.push(payload));
  await wakeUps.close();
  wakeUps.publish('a', [Buffer.from('x')]);
  await turn();
  expect(got).toEqual([]);
});
