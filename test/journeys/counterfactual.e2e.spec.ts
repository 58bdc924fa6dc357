import { afterAll, beforeAll, describe } from 'vitest';
import { describeCounterfactualJourneys } from './counterfactual-journeys.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { JourneyWorld } from './journey-world.js';
import { describeReplayJourneys } from './replay-journeys.js';

describe('counterfactuals, embedded', () => {
  const at = new JourneyWorld();
  beforeAll(() => at.open((env) => EmbeddedPlatform.start(env)));
  afterAll(() => at.close());
  describeCounterfactualJourneys(at);
  describeReplayJourneys(at);
});
