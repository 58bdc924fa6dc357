import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeApprovalJourneys } from './approval-journeys.js';
import { describeBadInputJourneys } from './bad-input-journeys.js';
import { describeCallJourneys } from './call-journeys.js';
import { describeGitJourneys } from './git-journeys.js';
import { describeHistoryJourneys } from './history-journeys.js';
import { type JourneyPlatform, JourneyWorld } from './journey-world.js';
import { describeLimitJourneys } from './limit-journeys.js';
import { describePatternJourneys } from './pattern-journeys.js';
import { describePolicyJourneys } from './policy-journeys.js';
import { describePublishingJourneys } from './policy-publishing-journeys.js';
import { describeProjectionJourneys } from './projection-journeys.js';
import { describeRecordJourneys } from './record-journeys.js';
import { describeRunJourneys } from './run-journeys.js';
import { describeSagaJourneys } from './saga-journeys.js';
import { describeStorm } from './storm-journey.js';
import { describeUndoJourneys } from './undo-journeys.js';
import { describeUndoSelectionJourneys } from './undo-selection-journeys.js';
import { describeUsageJourneys } from './usage-journeys.js';

export interface JourneyOptions {
  start(env: Record<string, string>): Promise<JourneyPlatform>;
  /** Number of keys in the storm of duplicates. */
  storm_keys: number;
}

type Topic = (at: JourneyWorld, options: JourneyOptions) => void;

/** A call from its request to its record: through approval, tools and faulty input. */
export const callTopic: Topic = (at, { storm_keys }) => {
  describeCallJourneys(at);
  describeStorm(at, storm_keys);
  describeApprovalJourneys(at);
  describeRecordJourneys(at);
  describeBadInputJourneys(at);
  describeRunJourneys(at);
  describeGitJourneys(at);
  describePatternJourneys(at);

  test('liveness, readiness and metrics respond without a key and reveal no secret', async () => {
    for (const route of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/asyncapi.json']) {
      expect((await fetch(`${at.agent.base}${route}`)).status).toBe(200);
    }
    const metrics = await (await fetch(`${at.agent.base}/metrics`)).text();
    expect(metrics).not.toContain(at.agent.key);
    expect(metrics).toMatch(/countersign_gateway_answer_seconds_count\{status="succeeded"\} [1-9]/);
  });
};

/** Decisions of limits and policies, and the publication of policies. */
export const policyTopic: Topic = (at) => {
  describeLimitJourneys(at);
  describePolicyJourneys(at);
  describePublishingJourneys(at);
};

/** Derived reads: histories, usage, projections. */
export const viewTopic: Topic = (at) => {
  describeHistoryJourneys(at);
  describeUsageJourneys(at);
  describeProjectionJourneys(at);
};

/** Undoing the effects of calls. */
export const undoTopic: Topic = (at) => {
  describeUndoJourneys(at);
  describeUndoSelectionJourneys(at);
};

/** Several calls that run as one. */
export const sagaTopic: Topic = (at) => describeSagaJourneys(at);

/** The journeys of these topics through the public API: the same on the embedded log and on the external services. */
export function describeJourneys(name: string, topics: readonly Topic[], options: JourneyOptions): void {
  describe(name, () => {
    const at = new JourneyWorld();
    beforeAll(() => at.open((env) => options.start(env)));
    afterAll(() => at.close());

    for (const topic of topics) topic(at, options);
  });
}
