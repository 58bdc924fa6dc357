import { afterAll, beforeAll, describe } from '@jest/globals';
import { DistributedPlatform } from './distributed-platform.js';
import { JourneyWorld } from './journey-world.js';
import { describeRegistryJourneys } from './registry-journeys.js';
import { describeTrustJourneys } from './trust-journeys.js';

describe('registry, mappings and trust, on the real parts', () => {
  const at = new JourneyWorld();
  beforeAll(() => at.open((env) => DistributedPlatform.start(env)), 120_000);
  afterAll(() => at.close(), 60_000);
  describeRegistryJourneys(at);
  describeTrustJourneys(at);
});
