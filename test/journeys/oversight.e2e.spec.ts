import { afterAll, beforeAll, describe } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';
import { describeGrants } from './grant-journeys.js';
import { JourneyWorld } from './journey-world.js';
import { describeOversightAttacks } from './oversight-attacks.js';
import { describeOversightJourneys } from './oversight-journeys.js';
import { describeOversightTerms } from './oversight-terms.js';
import { describePersonLinkJourneys } from './person-link-journeys.js';
import { describeVoteRaces } from './vote-race-journeys.js';

describe('oversight, embedded', () => {
  const at = new JourneyWorld();
  beforeAll(() => at.open((env) => EmbeddedPlatform.start({ ...env, COUNTERSIGN_IDENTITY_ALLOW_PRIVATE: 'true' })));
  afterAll(() => at.close());
  describeOversightJourneys(at);
  describeOversightTerms(at);
  describeGrants(at);
  describeOversightAttacks(at);
  describePersonLinkJourneys(at);
  describeVoteRaces(at);
});
