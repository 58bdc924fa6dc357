import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordingFrom } from '../testing/answer-to.js';
import { bundleOfSome, busyCase, shortEnvelope } from '../testing/busy-case.js';
import { LivedWorld } from '../testing/lived-world.js';
import { NO_SUMS } from './counted-elsewhere.js';
import { readReplayBundle, replay } from './replay.js';
import { EARLIER_FORMAT, type ReplayBundle, replayBundle } from './replay-bundle.js';

const terms = { from_ms: 0, until_ms: 1, allow_for_ms: 1, grant_for_ms: 1 };
const none = {
  tools: [],
  calls: [{ call_id: 'c', envelope: {}, decided: {} }],
  configuration: [],
  trust: [],
  records: [],
  as_recorded: [],
  erased: [],
};
const text = (more: object): string =>
  JSON.stringify({
    format: 'countersign-replay/2',
    tenant_id: 'a',
    run_id: 'r',
    ...none,
    counted_elsewhere: NO_SUMS,
    terms,
    ...more,
  });
const record = { event_type: 'tool_call_requested', event: { meta: {} }, topic: 't', partition: 0, offset: 0, timestamp_ms: 0 };

test('refuses a file that is not a bundle or has malformed list entries, and names the place', () => {
  expect(readReplayBundle(text({ records: [record] }))).toMatchObject({ tenant_id: 'a' });
  const fault = (more: object) => (readReplayBundle(text(more)) as { fault: string }).fault;
  expect(fault({ format: 'countersign-replay/3' })).toContain('countersign-replay/2 or countersign-replay/1');
  expect(fault({ records: undefined })).toBe('/records is missing');
  expect(fault({ records: [record, null] })).toMatch(/^\/records\/1 /);
  expect(fault({ records: [{ ...record, event: {} }] })).toMatch(/^\/records\/0 /);
  expect(fault({ configuration: [7] })).toMatch(/^\/configuration\/0 /);
  expect(fault({ calls: [{ call_id: 'c' }] })).toMatch(/^\/calls\/0 /);
  expect(fault({ erased: [{}] })).toMatch(/^\/erased\/0 /);
  expect(fault({ calls: [{ call_id: 'c', decided: {} }] })).toMatch(/^\/calls\/0 /);
  expect(fault({ calls: [] })).toContain('/calls is empty');
  const sum = { counter: 'c', slot_ms: 0, window_ms: null, added_micro: 1, removed_micro: '1' };
  expect(fault({ counted_elsewhere: undefined })).toMatch(/^\/counted_elsewhere /);
  expect(fault({ counted_elsewhere: { ...NO_SUMS, asks: [{ call_id: 'c', revision: 1, ask: 1, sums: [sum] }] } })).toMatch(/asks\/0 /);
  expect(fault({ terms: undefined })).toBe('/terms is missing');
  expect((readReplayBundle('{') as { fault: string }).fault).toContain('not JSON');
});

const DAY_MS = 86_400_000;

/** A run of two calls among calls of others: together they reach the limit, so that the second call of the run is refused. */
function shared(more = 0): ReplayBundle {
  const world = new LivedWorld(Date.parse('2026-11-01T00:00Z'));
  world.tool('stage', 'stage');
  world.limit('spend', { kind: 'cumulative', scope: 'tenant', amount: 'inputs.total', window_ms: DAY_MS, max: 100 });
  const request = (total: number, run_id: string | null, more = {}) => {
    const call_id = world.request('stage', { total, n: world.records.length, ...more }, { run_id, case_id: null });
    world.until(world.now_ms + 60_000);
    return call_id;
  };
  request(40, 'other');
  const own = [request(10, 'run')];
  request(30, 'other');
  request(20, 'other', { fails: true });
  request(15, 'other');
  own.push(request(10, 'run'), request(1, 'run'));
  for (let n = 0; n < more; n++) request(1, 'other');
  return bundleOf(world, own);
}

function bundleOf(world: LivedWorld, call_ids: readonly string[]): ReplayBundle {
  const recording = { ...recordingFrom(world), own: new Set(call_ids) };
  const making = replayBundle(recording, { run_id: 'run', transcript: null, call_ids }, shortEnvelope);
  for (let made = making.next(); ; made = making.next()) if (made.done) return JSON.parse(JSON.stringify(made.value));
}

const found = (bundle: ReplayBundle) => replay(bundle, shortEnvelope).differences.map(({ at }) => at);
const edited = (bundle: ReplayBundle, edit: (copy: ReplayBundle) => void): ReplayBundle => {
  const copy = structuredClone(bundle);
  edit(copy);
  return copy;
};

test('a bundle has the calls of its run whole, and those of others as sums; it replays to the same decisions', () => {
  const bundle = shared();
  expect(bundle.calls.map(({ decided }) => decided.status)).toEqual(['succeeded', 'denied', 'succeeded']);
  expect(new Set(bundle.records.map(({ event }) => event.meta.call_id))).toEqual(new Set(bundle.calls.map(({ call_id }) => call_id)));
  expect(bundle.counted_elsewhere.calls).toBe(4);
  const totals = bundle.counted_elsewhere.asks.map(({ sums }) =>
    sums.map(({ added_micro, removed_micro }) => [added_micro, removed_micro]),
  );
  expect(totals).toEqual([[[40e6, 0]], [[30e6 + 20e6 + 15e6, 20e6]]]);
  const { differences, not_bound } = replay(bundle, shortEnvelope);
  expect(differences).toEqual([]);
  expect(not_bound).toEqual([expect.stringContaining('sums of 4 other calls'), expect.stringContaining('not signed')]);
});

test('what others do after the last call of the run changes nothing in its bundle, and the records of the sums are named', () => {
  const bundle = shared();
  expect(JSON.stringify(shared(3))).toBe(JSON.stringify(bundle));
  const { count, event_ids_sha256, places } = bundle.counted_elsewhere.records;
  // Of each of the four: its decision, its start and its end.
  expect(count).toBe(12);
  expect(event_ids_sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(places.map(({ topic }) => topic)).toEqual(['policy-decided', 'tool-executed']);
});

test('whatever others do meanwhile, a run replays from their sums as it does from their calls', () => {
  const step = fc.record({ total: fc.integer({ min: 0, max: 40 }), isOwn: fc.boolean(), asks: fc.boolean(), wait_ms: fc.nat(DAY_MS / 3) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 4, maxLength: 16 }), fc.nat(3), (steps, votes) => {
      const world = new LivedWorld(Date.parse('2026-11-01T00:00Z'));
      world.tool('stage', 'stage');
      world.tool('pay', 'commit_high');
      world.limit('spend', { kind: 'cumulative', scope: 'tenant', amount: 'inputs.total', window_ms: DAY_MS, max: 60 });
      const own = steps.flatMap(({ total, isOwn, asks, wait_ms }, n) => {
        const inputs = { total, n, ...(n % 5 === 3 ? { fails: true } : {}) };
        const call_id = world.request(asks ? 'pay' : 'stage', inputs, { run_id: isOwn ? 'run' : null, case_id: null });
        if (n % 4 < votes && world.open()[0]) world.vote(world.open()[0] as string, `anna-${n}`, n % 3 ? 'approve' : 'deny');
        world.until(world.now_ms + wait_ms);
        return isOwn ? [call_id] : [];
      });
      expect(found(bundleOf(world, own))).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test('other sums give other decisions, and are found where they do', () => {
  const less = edited(shared(), ({ counted_elsewhere }) => counted_elsewhere.asks.pop());
  expect(found(less)).toContain('/calls/1/decided/ruling/effect');
});

test('a status or an output that was edited in an envelope is found with its place, and so is a call that is missing or of another run', () => {
  const bundle = shared();
  const envelope = (copy: ReplayBundle, at: number) => copy.calls[at]?.envelope as Record<string, unknown>;
  expect(found(edited(bundle, (copy) => Object.assign(envelope(copy, 0), { status: 'failed' })))).toEqual(['/calls/0/envelope/status']);
  expect(found(edited(bundle, (copy) => Object.assign(envelope(copy, 2), { output: '{}' })))).toEqual(['/calls/2/envelope/output']);
  expect(found(edited(bundle, (copy) => Object.assign(envelope(copy, 1), { more: 1 })))).toEqual(['/calls/1/envelope/more']);
  expect(found(edited(bundle, (copy) => copy.calls.pop()))).toEqual(['/calls']);
  expect(found(edited(bundle, (copy) => Object.assign(copy, { run_id: 'other' })))).toEqual(['/calls/0', '/calls/1', '/calls/2']);
});

test('an edited record is found unless envelope and decision are edited alike: then only a proof of the record shows it', () => {
  const bundle = shared();
  const output = (copy: ReplayBundle) =>
    copy.records.flatMap((record) => (record.event_type === 'tool_executed' ? [record.event.outcome] : []))[0] as { output_json: string };
  const record = edited(bundle, (copy) => Object.assign(output(copy), { output_json: '{"other":1}' }));
  expect(found(record)).toContain('/calls/0/envelope/output');
});

test('a bundle of the earlier format replays, and says that its envelopes are not checked', () => {
  const { counted_elsewhere: _, ...rest } = shared();
  const calls = rest.calls.slice(0, 1).map((call) => ({ ...call, envelope: {} }));
  const records = rest.records.filter(({ event }) => event.meta.call_id === calls[0]?.call_id);
  const text = JSON.stringify({ ...rest, calls, records, format: EARLIER_FORMAT });
  const earlier = readReplayBundle(text) as ReplayBundle;
  expect(replay(earlier, shortEnvelope)).toMatchObject({
    differences: [],
    not_bound: [
      expect.stringContaining('envelopes'),
      expect.anything(),
      ...['call_id', 'output', 'status'].map((name) => expect.stringContaining(`/calls/0/envelope/${name} of call`)),
    ],
  });
});

test('a bundle relabelled to the earlier format is refused, and without its sums it shows where an envelope was changed', () => {
  const bundle = shared();
  const relabelled = { ...bundle, format: EARLIER_FORMAT };
  expect(readReplayBundle(JSON.stringify(relabelled))).toEqual({
    fault: expect.stringContaining('/counted_elsewhere is no member of the format countersign-replay/1'),
  });
  const { counted_elsewhere: _, ...rest } = relabelled;
  const [first, ...others] = rest.calls;
  const calls = [{ ...first, envelope: { ...(first?.envelope as object), status: 'failed' } }, ...others];
  const earlier = readReplayBundle(JSON.stringify({ ...rest, calls })) as ReplayBundle;
  expect(replay(earlier, shortEnvelope).not_bound).toContainEqual(
    expect.stringMatching(/^\/calls\/0\/envelope\/status of call .*: the bundle has "failed", its records give "/),
  );
});

test('a run of ten calls in a busy case has a tenth of its bundle, and replays alike', () => {
  const world = busyCase();
  const [all, some] = [bundleOfSome(world, 1), bundleOfSome(world, 15)];
  const bytes = (bundle: ReplayBundle): number => JSON.stringify(bundle.records).length + JSON.stringify(bundle.counted_elsewhere).length;
  expect(some.calls.length).toBeGreaterThanOrEqual(10);
  expect(bytes(some)).toBeLessThan(bytes(all) / 7);
  expect(found(some)).toEqual([]);
});
