import { DistributedPlatform } from './distributed-platform.js';
import { describeJourneys } from './journeys.js';

describeJourneys('the journeys, on Kafka, Postgres and Redis', { start: (env) => DistributedPlatform.start(env), storm_keys: 2000 });
