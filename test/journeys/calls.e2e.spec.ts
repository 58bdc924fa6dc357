import { EmbeddedPlatform } from './embedded-platform.js';
import { callTopic, describeJourneys } from './journeys.js';

describeJourneys('the journeys of calls, embedded', [callTopic], { start: (env) => EmbeddedPlatform.start(env), storm_keys: 200 });
