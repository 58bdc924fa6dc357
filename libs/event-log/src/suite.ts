import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { describeAppends } from './suite-append.js';
import type { EventLogFixture } from './suite-fixture.js';
import { describeFollowers } from './suite-follow.js';
import { describeGroups } from './suite-group.js';
import { SuiteLog } from './suite-log.js';
import { describeProgress } from './suite-progress.js';
import { describeSubscriptions } from './suite-subscription.js';

/** The contract of `EventLog`, the same for every adapter. `timeout_ms` applies to each test. */
export function describeEventLog(name: string, factory: () => Promise<EventLogFixture>, timeout_ms = 30_000): void {
  describe(`event log: ${name}`, () => {
    const suite = new SuiteLog();
    beforeAll(async () => {
      suite.fixture = await factory();
    }, timeout_ms);
    afterEach(() => suite.closeAll(), timeout_ms);
    afterAll(() => suite.fixture.end(), timeout_ms);
    describeAppends(suite, timeout_ms);
    describeFollowers(suite, timeout_ms);
    describeSubscriptions(suite, timeout_ms);
    describeGroups(suite, timeout_ms);
    describeProgress(suite, timeout_ms);
  });
}
