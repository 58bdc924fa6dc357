import { afterAll, beforeAll, describe } from '@jest/globals';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { describeRoleTable } from './role-table.js';

describe('roles, embedded', () => {
  const at = {} as { platform: EmbeddedPlatform };
  beforeAll(async () => {
    at.platform = await EmbeddedPlatform.start();
  }, 60_000);
  afterAll(() => at.platform?.close());
  describeRoleTable(at);
});
