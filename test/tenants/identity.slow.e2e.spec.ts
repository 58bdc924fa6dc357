import { afterAll, beforeAll, describe } from 'vitest';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { describeBroker } from '../secrets/broker-journeys.js';
import { describeCrossTenant } from './cross-tenant.js';
import { describeRoleTable } from './role-table.js';

describe('identity, embedded', () => {
  const at = {} as { platform: EmbeddedPlatform };
  beforeAll(async () => {
    at.platform = await EmbeddedPlatform.start({ COUNTERSIGN_IDENTITY_ALLOW_PRIVATE: 'true' });
  });
  afterAll(() => at.platform?.close());
  describeBroker(at);
  describeRoleTable(at);
  describeCrossTenant(at);
});
