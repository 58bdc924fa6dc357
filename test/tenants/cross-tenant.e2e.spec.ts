import { afterAll, beforeAll, describe } from '@jest/globals';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { describeCrossTenant } from './cross-tenant.js';

describe('tenants, embedded', () => {
  const at = {} as { platform: EmbeddedPlatform };
  beforeAll(async () => {
    at.platform = await EmbeddedPlatform.start();
  }, 60_000);
  afterAll(() => at.platform?.close());
  describeCrossTenant(at);
});
