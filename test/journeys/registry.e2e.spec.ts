import { afterAll, beforeAll, describe } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';
import { JourneyWorld } from './journey-world.js';
import { describeRegistryJourneys } from './registry-journeys.js';
import { describeTrustJourneys } from './trust-journeys.js';

describe('registry, mappings and trust, embedded', () => {
  const at = new JourneyWorld();
  beforeAll(() => at.open((env) => EmbeddedPlatform.start(env)));
  afterAll(() => at.close());
  describeRegistryJourneys(at);
  describeTrustJourneys(at);
});
