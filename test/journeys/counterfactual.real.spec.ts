import { afterAll, beforeAll, describe } from 'vitest';
import { describeCounterfactualJourneys } from './counterfactual-journeys.js';
import { DistributedPlatform } from './distributed-platform.js';
import { JourneyWorld } from './journey-world.js';
import { describeReplayJourneys } from './replay-journeys.js';

describe('counterfactuals, on Kafka, Postgres and Redis', () => {
  const at = new JourneyWorld();
  beforeAll(() => at.open((env) => DistributedPlatform.start(env)), 120_000);
  afterAll(() => at.close(), 60_000);
  describeCounterfactualJourneys(at);
  describeReplayJourneys(at);
});
