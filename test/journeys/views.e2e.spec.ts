import { EmbeddedPlatform } from './embedded-platform.js';
import { describeJourneys, viewTopic } from './journeys.js';

describeJourneys('the journeys of views, embedded', [viewTopic], { start: (env) => EmbeddedPlatform.start(env), storm_keys: 200 });
