import { EmbeddedPlatform } from './embedded-platform.js';
import { describeJourneys } from './journeys.js';
import { describeStorm } from './storm-journey.js';

describeJourneys('a storm of duplicates, embedded', [(at, { storm_keys }) => describeStorm(at, storm_keys)], {
  start: (env) => EmbeddedPlatform.start(env),
  storm_keys: 2000,
});
