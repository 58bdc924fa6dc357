import { expect, test } from 'vitest';
import { answerTo, of } from '../testing/answer-to.js';
import { LivedWorld } from '../testing/lived-world.js';
import type { Change } from './change.js';

const MINUTE_MS = 60_000;
const START_MS = Date.parse('2026-11-01T00:00Z');
const noStage = { id: 'no-stage', tools: { names: ['stage', 'read'] }, effect: 'deny' };

function lived(): LivedWorld {
  const world = new LivedWorld(START_MS);
  world.tool('stage', 'stage');
  world.tool('read', 'read_internal');
  return world;
}

function call(world: LivedWorld, tool: string, inputs: object, wait_ms = MINUTE_MS): string {
  const call_id = world.request(tool, inputs);
  world.until(world.now_ms + wait_ms);
  return call_id;
}

const withoutRules: Change = { kind: 'policy', bundle: null };

test('a repeat of a call that is left out runs with an unknown result: its answer is not taken from the call that never was', () => {
  const world = lived();
  const first = call(world, 'stage', { n: 1 }, 10);
  const repeat = call(world, 'stage', { n: 1 });
  const answer = answerTo(world, [{ kind: 'left_out', call_id: first }]);
  expect(of(answer, repeat)).toMatchObject({
    counterfactual: { status: 'running', ended_at_ms: null },
    result: null,
    unknown: [{ what: 'result', why: expect.stringContaining('would not have been the same'), call_id: first }],
  });
});

test('a call that another one answered runs itself if that one fails instead, and has no result of it', () => {
  const world = lived();
  const first = call(world, 'stage', { n: 1 }, 10);
  const repeat = call(world, 'stage', { n: 1 });
  const failed: Change = { kind: 'result', call_id: first, status: 'failed', output_json: null, error: null };
  expect(of(answerTo(world, []), repeat)).toMatchObject({ counterfactual: { status: 'succeeded' }, differences: [] });
  expect(of(answerTo(world, [failed]), repeat)).toMatchObject({
    counterfactual: { status: 'running', ended_at_ms: null },
    result: null,
    unknown: [{ what: 'result', call_id: first }],
  });
});

test('a call that never ran has the result of an earlier one with the same inputs only if the changes leave that one as it was', () => {
  const world = lived();
  const before = call(world, 'read', { n: 1 });
  world.policy('v1', [noStage]);
  const refused = call(world, 'read', { n: 1 });
  expect(of(answerTo(world, [withoutRules]), refused)).toMatchObject({
    recorded: { status: 'denied' },
    counterfactual: { status: 'succeeded' },
    result: { kind: 'identical_call', call_id: before },
    unknown: [],
  });
  const replaced: Change = { kind: 'result', call_id: before, status: 'succeeded', output_json: '{"other":1}', error: null };
  for (const change of [replaced, { kind: 'left_out', call_id: before } as const])
    expect(of(answerTo(world, [withoutRules, change]), refused)).toMatchObject({
      result: null,
      unknown: [{ what: 'result', call_id: before }],
    });
});

test('no answer is taken from a later call: what it saw may have changed meanwhile', () => {
  const world = lived();
  world.policy('v1', [noStage]);
  const refused = call(world, 'stage', { n: 1 });
  world.policy('v2', []);
  const later = call(world, 'stage', { n: 1 });
  expect(of(answerTo(world, []), later).recorded.status).toBe('succeeded');
  expect(of(answerTo(world, [withoutRules]), refused)).toMatchObject({
    result: null,
    unknown: [{ what: 'result', why: expect.stringContaining('ran later'), call_id: later }],
  });
});
