import { DistributedPlatform } from './distributed-platform.js';
import { callTopic, describeJourneys, policyTopic, undoTopic, viewTopic } from './journeys.js';

describeJourneys('the journeys, on Kafka, Postgres and Redis', [callTopic, policyTopic, viewTopic, undoTopic], {
  start: (env) => DistributedPlatform.start(env),
  storm_keys: 2000,
});
