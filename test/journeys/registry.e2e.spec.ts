import { afterAll, beforeAll, describe } from 'vitest';
import { describeCircuitJourneys } from './circuit-journeys.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { JourneyWorld } from './journey-world.js';
import { describeRegistryJourneys } from './registry-journeys.js';
import { describeTrustJourneys } from './trust-journeys.js';

describe('registry, mappings, trust and circuits, embedded', () => {
  const at = new JourneyWorld();
  beforeAll(() => at.open((env) => EmbeddedPlatform.start(env)));
  afterAll(() => at.close());
  describeRegistryJourneys(at);
  describeTrustJourneys(at);
  describeCircuitJourneys(at);
});
