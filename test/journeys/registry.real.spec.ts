import { afterAll, beforeAll, describe } from 'vitest';
import { describeCircuitJourneys } from './circuit-journeys.js';
import { DistributedPlatform } from './distributed-platform.js';
import { JourneyWorld } from './journey-world.js';
import { describeRegistryJourneys } from './registry-journeys.js';
import { TraceCollector } from './trace-collector.js';
import { describeTracing } from './tracing-journeys.js';
import { describeTrustJourneys } from './trust-journeys.js';

describe('traces, registry, mappings, trust and circuits, on the external services', () => {
  const at = new JourneyWorld();
  let collector: TraceCollector;
  beforeAll(async () => {
    collector = await TraceCollector.start();
    await at.open((env) => DistributedPlatform.start({ ...env, ...collector.env }));
  });
  afterAll(async () => {
    await at.close();
    collector.stop();
  });
  describeTracing({ admin: () => at.admin, collector: () => collector, processOf: (service) => `countersign-${service}` });
  describeRegistryJourneys(at);
  describeTrustJourneys(at);
  describeCircuitJourneys(at);
});
