import { afterAll, beforeAll, describe } from 'vitest';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { describeTenantTools } from './tenant-tools.js';

describe('embedded', () => {
  const at = {} as { platform: EmbeddedPlatform };
  beforeAll(async () => {
    at.platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace,git,patterns,http' });
  });
  afterAll(() => at.platform?.close());
  describeTenantTools(at);
});
