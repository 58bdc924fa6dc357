import { afterAll, beforeAll, describe } from 'vitest';
import { DistributedPlatform } from './distributed-platform.js';
import { describeGrants } from './grant-journeys.js';
import { JourneyWorld } from './journey-world.js';
import { describeOversightAttacks } from './oversight-attacks.js';
import { describeOversightJourneys } from './oversight-journeys.js';
import { describeOversightTerms } from './oversight-terms.js';
import { describePersonLinkJourneys } from './person-link-journeys.js';
import { describeVoteRaces } from './vote-race-journeys.js';

describe('oversight, on Kafka, Postgres and Redis', () => {
  const at = new JourneyWorld();
  beforeAll(() => at.open((env) => DistributedPlatform.start({ ...env, COUNTERSIGN_IDENTITY_ALLOW_PRIVATE: 'true' })), 120_000);
  afterAll(() => at.close(), 60_000);
  describeOversightJourneys(at);
  describeOversightTerms(at);
  describeGrants(at);
  describeOversightAttacks(at);
  describePersonLinkJourneys(at);
  describeVoteRaces(at);
});
