import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerTo, of, recordingFrom } from '../testing/answer-to.js';
import { LivedWorld } from '../testing/lived-world.js';
import type { Change } from './change.js';
import { Counterfactual, type CounterfactualAnswer } from './counterfactual.js';
import { nothingWhole } from './simulated-world.js';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-11-01T00:10Z');
const MINUTE_MS = 60_000;

function world(rules: readonly object[]): LivedWorld {
  const made = new LivedWorld(START_MS);
  made.tool('pay', 'commit_high');
  made.tool('stage', 'stage');
  made.tool('read', 'read_internal');
  made.policy('v1', rules);
  return made;
}

/** Requested, with one minute until it ends. */
function call(made: LivedWorld, tool: string, inputs: object, more = {}): string {
  const call_id = made.request(tool, inputs, more);
  made.until(made.now_ms + MINUTE_MS);
  return call_id;
}

const bundle = (rules: readonly object[]): Change => ({
  kind: 'policy',
  bundle: { version: 'draft', bundle_json: JSON.stringify({ rules }), digest: JSON.stringify(rules) },
});
const leftOut = (call_id: string): Change => ({ kind: 'left_out', call_id });
const twice = { id: 'twice', tools: { names: ['stage'] }, effect: 'deny', when: 'history.case.tools["stage"].succeeded >= 2' };

/** Two calls that succeed, a third that the rule refuses, and one of another case. */
function thrice() {
  const made = world([twice]);
  const one = call(made, 'stage', { n: 1 });
  const two = call(made, 'stage', { n: 2 });
  const three = call(made, 'stage', { n: 3 });
  const elsewhere = call(made, 'stage', { n: 4 }, { case_id: 'case-2' });
  return { made, one, two, three, elsewhere };
}

test('a left-out call is not counted: of two successful calls one is left, and the third is allowed', () => {
  const { made, one, two, three, elsewhere } = thrice();
  const answer = answerTo(made, [leftOut(one)]);
  expect(of(answer, three)).toMatchObject({
    recorded: { effect: 'deny', rule: 'twice' },
    counterfactual: { effect: 'allow', rule: 'default.stage' },
    differences: ['newly_allowed', 'status', 'newly_started'],
    unknown: [{ what: 'result', why: 'the call never ran' }],
  });
  for (const same of [two, elsewhere]) expect(of(answer, same)).toMatchObject({ differences: [], unknown: [] });
});

test('a result replaced by a failure counts as a failure: one succeeded, one failed', () => {
  const { made, two, three } = thrice();
  const failed: Change = { kind: 'result', call_id: two, status: 'failed', output_json: null, error: null };
  expect(of(answerTo(made, [failed]), three)).toMatchObject({
    counterfactual: { effect: 'allow' },
    differences: ['newly_allowed', 'status', 'newly_started'],
  });
  const other: Change = { ...failed, status: 'succeeded', output_json: '{}' };
  expect(of(answerTo(made, [other]), three)).toMatchObject({ differences: [], unknown: [] });
});

test('a rule that counts a call with an unknown outcome gives an unknown ruling', () => {
  const { made, one, three } = thrice();
  const four = call(made, 'stage', { n: 5 });
  const answer = answerTo(made, [leftOut(one)]);
  expect(of(answer, four)).toMatchObject({
    differences: [],
    unknown: [{ what: 'ruling', why: 'its rules count a call whose outcome is unknown', call_id: three }],
  });
});

test('if a call ended at the very time of a ruling, it is unknown whether it was counted', () => {
  const made = world([twice]);
  const left = made.request('stage', { n: 1 });
  // A ruled call starts after 3 ms and ends 40 ms later: the next call is requested 1 ms before the end and ruled on 2 ms after it.
  made.until(made.now_ms + 3 + 40 - 1);
  const next = call(made, 'stage', { n: 2 });
  expect(of(answerTo(made, [leftOut(left)]), next)).toMatchObject({
    differences: [],
    unknown: [{ what: 'ruling', why: 'its rules count a call that changed at the moment of the decision', call_id: left }],
  });
});

test('answers to an agent within an hour are counted without affected calls', () => {
  const made = world([{ id: 'careful', tools: { names: ['read'] }, effect: 'deny', when: 'history.agent.last_1h.failed >= 1' }]);
  const failing = call(made, 'stage', { fails: true });
  const soon = call(made, 'read', { n: 1 });
  made.until(START_MS + 3 * HOUR_MS);
  const late = call(made, 'read', { n: 2 });
  // The result of the second call is given; otherwise it would be unknown whether and when it failed.
  const given: Change = { kind: 'result', call_id: soon, status: 'succeeded', output_json: '{}', error: null };
  const answer = answerTo(made, [leftOut(failing), given]);
  expect(of(answer, soon)).toMatchObject({ recorded: { rule: 'careful' }, counterfactual: { effect: 'allow' } });
  expect(of(answer, late)).toMatchObject({ recorded: { effect: 'allow' }, differences: [], unknown: [] });
});

test('the first use of a tool moves to a later call if the first one is left out', () => {
  const made = world([{ id: 'first', tools: { names: ['stage'] }, effect: 'deny', when: 'history.first_use_of_tool && inputs.n > 1' }]);
  const one = call(made, 'stage', { n: 1 });
  const two = call(made, 'stage', { n: 2 });
  const three = call(made, 'stage', { n: 3 });
  const answer = answerTo(made, [leftOut(one)]);
  // With the first call left out, the history has no earlier call.
  expect(of(answer, two).unknown).toMatchObject([{ what: 'ruling', call_id: one }]);
  expect(of(answerTo(made, [leftOut(two)]), three)).toMatchObject({ differences: [], unknown: [] });
});

test('a flagged answer counts for the calls after it: of its run, else of its case, else of its principal', () => {
  const made = world([{ id: 'steered', tools: { names: ['stage'] }, effect: 'deny', when: 'history.flagged > 0' }]);
  const before = call(made, 'stage', { n: 1 }, { run_id: 'run-1' });
  const flagged = call(made, 'read', { n: 2, steers: true }, { run_id: 'run-1' });
  const after = call(made, 'stage', { n: 3 }, { run_id: 'run-1' });
  const otherRun = call(made, 'stage', { n: 4 }, { run_id: 'run-2' });
  const inCase = call(made, 'stage', { n: 5 });
  const alone = call(made, 'stage', { n: 6 }, { case_id: null });
  const recorded = answerTo(made, []);
  const rules = [before, after, otherRun, inCase, alone].map((id) => of(recorded, id)?.recorded?.effect);
  expect(rules).toEqual(['allow', 'deny', 'allow', 'deny', 'deny']);
  const answer = answerTo(made, [leftOut(flagged)]);
  expect(of(answer, after)).toMatchObject({
    counterfactual: { effect: 'allow' },
    differences: ['newly_allowed', 'status', 'newly_started'],
  });
  expect(of(answer, inCase).unknown).toMatchObject([{ why: 'its rules count a call whose outcome is unknown', call_id: after }]);
  expect([before, otherRun].map((id) => of(answer, id).differences)).toEqual([[], []]);
});

test('other rules get history that was not recorded at the time, if all calls that they count are recorded; else the ruling is unknown', () => {
  const { made, one, two, three } = thrice();
  const once: Change = bundle([
    { id: 'once', tools: { names: ['stage'] }, effect: 'deny', when: 'history.case.calls >= 1 && history.agent.last_24h.succeeded >= 1' },
  ]);
  const answer = answerTo(made, [once]);
  expect(of(answer, one)).toMatchObject({ differences: [], unknown: [] });
  expect(of(answer, two)).toMatchObject({ counterfactual: { rule: 'once' }, differences: ['newly_denied', 'status', 'never_started'] });
  expect(of(answer, three)).toMatchObject({ counterfactual: { rule: 'once' }, differences: ['rule'] });
  const recording = { ...recordingFrom(made), whole: nothingWhole };
  const question = new Counterfactual(recording, [once], [...recording.calls.ids()]);
  while (question.step());
  expect(of(question.answer(), one).unknown).toMatchObject([
    { what: 'ruling', why: 'its rules use the history of its agent, and the records that were read do not hold all of it' },
  ]);
});

test('a rule that uses trust gives an unknown ruling after an affected call that changes the score; other calls do not matter', () => {
  const made = world([{ id: 'trusted', tools: { names: ['stage'] }, effect: 'deny', when: 'has(trust.tool) && trust.tool < 0.2' }]);
  const one = call(made, 'stage', { n: 1 });
  const reading = call(made, 'read', { n: 2 });
  const two = call(made, 'stage', { n: 3 });
  const failed = (call_id: string): Change => ({ kind: 'result', call_id, status: 'failed', output_json: null, error: null });
  const answer = answerTo(made, [failed(one)]);
  expect(of(answer, two)).toMatchObject({
    differences: [],
    unknown: [{ what: 'ruling', why: 'its rules use the trust score of its tool, which another call would have changed', call_id: one }],
  });
  expect(of(answer, reading)).toMatchObject({ differences: [], unknown: [] });
  expect(of(answerTo(made, [failed(reading)]), two)).toMatchObject({ differences: [], unknown: [] });
});

/** Calls at given times: tool, result, case, the delay after the previous call, ms, and whether the answer is flagged. */
type RequestedCall = [tool: 'stage' | 'read', fails: boolean, of_case: number, gap_ms: number, steers: boolean];
const calls = fc.array(
  fc.tuple(
    fc.constantFrom('stage' as const, 'read' as const),
    fc.boolean(),
    fc.nat(1),
    fc.constantFrom(4, 20, 41, 42, 43, 44, 60, 400, 20 * MINUTE_MS, HOUR_MS),
    fc.boolean(),
  ),
  { minLength: 2, maxLength: 14 },
);
const counting = [
  {
    id: 'failed',
    tools: { names: ['read'] },
    effect: 'deny',
    when: 'history.case.tools["stage"].failed >= 1 && history.case.pending == 0',
  },
  {
    id: 'agent',
    tools: { names: ['stage'] },
    effect: 'deny',
    when: 'history.agent.last_1h.succeeded + history.agent.last_1h.tools["read"].denied > 3',
  },
  { id: 'flagged', tools: { names: ['stage'] }, effect: 'deny', when: 'history.flagged > 1 && "instructions" in history.case.flags' },
  { id: 'many', tools: {}, effect: 'deny', when: 'history.case.calls > 6' },
];

/** The same calls without one: played through, not decided again. */
function livedWithout(requests: readonly RequestedCall[], without: number | undefined): { made: LivedWorld; ids: (string | undefined)[] } {
  const made = world(counting);
  let at_ms = made.now_ms;
  const ids = requests.map(([tool, fails, of_case, gap_ms, steers], n) => {
    at_ms += gap_ms;
    made.until(at_ms);
    return n === without ? undefined : made.request(tool, { n, fails, steers }, { case_id: `case-${of_case}` });
  });
  made.until(at_ms + HOUR_MS);
  return { made, ids };
}

const ruled = (answer: CounterfactualAnswer, id: string) => of(answer, id).counterfactual;

test('for any history: leaving out a call gives the same as a world without it, or is reported as unknown', () => {
  const seen = { known: 0, other: 0 };
  fc.assert(
    fc.property(calls, fc.nat(13), (all, n) => {
      const without = n % all.length;
      const { made, ids } = livedWithout(all, undefined);
      const lived = livedWithout(all, without);
      const answer = answerTo(made, [leftOut(ids[without] as string)]);
      const truth = answerTo(lived.made, []);
      for (const [at, id] of ids.entries()) {
        const compared = of(answer, id as string);
        if (at === without || compared.unknown.some(({ what }) => what === 'ruling')) continue;
        const { effect, rule } = ruled(truth, lived.ids[at] as string) ?? {};
        expect({ at, ...ruled(answer, id as string) }).toMatchObject({ at, effect, rule });
        seen.known++;
        if (compared.recorded.rule !== rule) seen.other++;
      }
    }),
    { numRuns: 60 },
  );
  expect(seen.known).toBeGreaterThan(60);
  expect(seen.other).toBeGreaterThan(2);
});

test('the circuit of a tool is taken as it was recorded; where it was not, a ruling that uses it is unknown', () => {
  const open = { id: 'broken', tools: { names: ['stage'] }, effect: 'deny', when: 'history.circuit == "open"' };
  const made = world([open]);
  const [one, two] = [call(made, 'stage', { n: 1 }), call(made, 'stage', { n: 2 })];
  expect(of(answerTo(made, [leftOut(one)]), two)).toMatchObject({ recorded: { effect: 'allow' }, differences: [], unknown: [] });
  const unread = world([]);
  const three = call(unread, 'stage', { n: 3 });
  expect(of(answerTo(unread, [bundle([open])]), three)).toMatchObject({
    unknown: [{ what: 'ruling', why: 'its rules use the circuit of its tool, and its state is not on the record' }],
  });
});
