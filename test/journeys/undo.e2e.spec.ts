import { EmbeddedPlatform } from './embedded-platform.js';
import { describeJourneys, undoTopic } from './journeys.js';

describeJourneys('the journeys of undo, embedded', [undoTopic], { start: (env) => EmbeddedPlatform.start(env), storm_keys: 200 });
