import { afterAll, beforeAll } from 'vitest';
import { freePort } from './child-process.js';
import { DistributedPlatform } from './distributed-platform.js';
import { describeEventJourneys } from './event-journeys.js';

let platform: DistributedPlatform;
let other: string;
beforeAll(async () => {
  platform = await DistributedPlatform.start();
  const port = await freePort();
  other = `http://127.0.0.1:${port}`;
  await platform.add('gateway-2', 'gateway', { COUNTERSIGN_PORT: String(port) });
  await platform.ready('gateway-2');
}, 120_000);
afterAll(() => platform.close());

describeEventJourneys(() => ({ bases: [platform.base, other], admin: platform.admin() }));
