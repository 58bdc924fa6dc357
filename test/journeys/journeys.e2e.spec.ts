import { EmbeddedPlatform } from './embedded-platform.js';
import { describeJourneys } from './journeys.js';

describeJourneys('the journeys, embedded', { start: (env) => EmbeddedPlatform.start(env), storm_keys: 2000 });
