import { afterAll, beforeAll } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';
import { describeEventJourneys } from './event-journeys.js';

let platform: EmbeddedPlatform;
beforeAll(async () => {
  platform = await EmbeddedPlatform.start();
}, 60_000);
afterAll(() => platform.close());

describeEventJourneys(() => ({ bases: [platform.base], admin: platform.admin() }));
