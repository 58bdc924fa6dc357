import { afterAll, beforeAll } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';
import { TraceCollector } from './trace-collector.js';
import { describeTracing } from './tracing-journeys.js';

let collector: TraceCollector;
let platform: EmbeddedPlatform;

beforeAll(async () => {
  collector = await TraceCollector.start();
  platform = await EmbeddedPlatform.start(collector.env);
});
afterAll(async () => {
  await platform?.close();
  collector.stop();
});

describeTracing({ admin: () => platform.admin(), collector: () => collector, processOf: () => 'countersign-standalone' });
