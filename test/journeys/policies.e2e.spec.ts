import { EmbeddedPlatform } from './embedded-platform.js';
import { describeJourneys, policyTopic } from './journeys.js';

describeJourneys('the journeys of policies, embedded', [policyTopic], { start: (env) => EmbeddedPlatform.start(env), storm_keys: 200 });
