import { EmbeddedPlatform } from './embedded-platform.js';
import { describeJourneys, sagaTopic } from './journeys.js';

describeJourneys('the journeys of sagas, embedded', [sagaTopic], { start: (env) => EmbeddedPlatform.start(env), storm_keys: 200 });
