import { InProcessWakeUps } from '@countersign/store';
import { expect, test } from 'vitest';
import { InFlightShares } from './in-flight-shares.js';

test('gateways count the in-flight calls of the others, forget silent ones, and drop messages in another format', async () => {
  const channel = new InProcessWakeUps();
  let now = 10_000;
  const counts = { a: new Map([['acme', 3]]), b: new Map([['acme', 4]]), c: new Map<string, number>() };
  const of = (id: 'a' | 'b' | 'c') => new InFlightShares({ inFlightCounts: counts[id] }, channel, id, () => now);
  const gateways = { a: of('a'), b: of('b'), c: of('c') };
  for (const gateway of Object.values(gateways)) await gateway.start();
  const published = () => {
    for (const gateway of Object.values(gateways)) gateway.tell();
    return new Promise((turn) => setImmediate(turn));
  };
  await published();
  expect(Object.values(gateways).map((gateway) => gateway.othersOf('acme'))).toEqual([4, 3, 7]);
  expect(gateways.a.othersOf('other')).toBe(0);
  for (const payload of ['{', 'null', '{"gateway_id":"x"}', '{"gateway_id":"x","counts":[["acme",-1e9]]}'])
    channel.publish('.in-flight', [Buffer.from(payload)]);
  await new Promise((turn) => setImmediate(turn));
  expect(gateways.c.othersOf('acme')).toBe(7);
  counts.b.clear();
  await published();
  expect(gateways.a.othersOf('acme')).toBe(0);
  now += 2_001;
  expect(gateways.c.othersOf('acme')).toBe(0);
  for (const gateway of Object.values(gateways)) gateway.close();
});
