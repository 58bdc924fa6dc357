import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { badReads } from './testing/bad-reads.js';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.open();
  await rig.start({ running_max: 1 });
});
afterAll(() => rig.close());
afterEach(() => {
  const { faulty } = rig.world;
  faulty.runs.length = 0;
  faulty.verify = 'truth';
});

const outcomeOf = async (tool: string, act: string, name = act) => (await rig.end(await rig.allow(tool, name, { act }))).event.outcome;

/** Memory that is still referenced; garbage not yet collected does not count. */
function heldMb(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

describe('a misbehaving tool ends its own call once and affects no other call', () => {
  test.each(badReads)('a read that %s', async (_what, act, code) => {
    const ruling = await rig.allow(act.startsWith('huge_') ? 'patient_read' : 'faulty_read', act, { act });
    const { outcome } = (await rig.end(ruling)).event;
    expect(outcome).toMatchObject({ status: 'failed', effect: 'none', output_json: null, error: { code } });
    expect(outcome.error?.message.length).toBeLessThanOrEqual(2000);
    expect((await outcomeOf('faulty_read', 'answer', 'the next call')).status).toBe('succeeded');
    expect(await rig.eventsOf(ruling.meta.call_id as string)).toHaveLength(1);
  });

  test('a write that does the same may have happened: in doubt, never a failure', async () => {
    const doubts = ['throw', 'throw_nothing', 'throw_class', 'throw_brand', 'never', 'wrong_shape', 'ring', 'getter', 'negative'];
    for (const act of doubts) expect(await outcomeOf('faulty_write', act)).toMatchObject({ status: 'in_doubt', effect: 'unknown' });
    for (const act of doubts) expect(rig.world.faulty.runsOf(act)).toBe(1);
  });

  test('a valid response of 200 MB means success for a write; only its small members are stored', async () => {
    const outcome = await outcomeOf('patient_write', 'huge_text');
    expect(outcome).toMatchObject({ status: 'succeeded', effect: 'happened', truncated: true, output_json: '{"ok":true}' });
    expect(outcome.warnings.join()).toMatch(/larger than/);
  });

  test('five responses of 200 MB leave no memory behind', async () => {
    await outcomeOf('patient_read', 'huge_text', 'warm');
    const before_mb = heldMb();
    const rulings = Array.from({ length: 5 }, (_, at) => rig.ruling('patient_read', `huge-${at}`, { act: 'huge_text' }));
    await rig.put('policy_decided', rulings);
    const ends = await rig.ends(
      rulings.map((ruling) => ruling.meta.call_id as string),
      100_000,
    );
    expect(ends.map((end) => end.event.outcome.error?.code)).toEqual(Array(5).fill('VALIDATION_ERROR'));
    expect((await outcomeOf('faulty_read', 'answer', 'the next call')).status).toBe('succeeded');
    // A leak of any one tool would leave 200 MB, or 400 MB with its bytes. A leak persists; memory that is freed late, beside other
    // suites, disappears after a while.
    await rig.until(() => heldMb() - before_mb < 100, 60_000);
  });
});

describe('an output beyond its limit', () => {
  test('is shortened, stays JSON, and names the cuts', async () => {
    const outcome = await outcomeOf('faulty_read', 'large');
    expect(outcome).toMatchObject({ status: 'succeeded', truncated: true });
    expect(Buffer.byteLength(outcome.output_json as string)).toBeLessThanOrEqual(100_000);
    expect(JSON.parse(outcome.output_json as string).rows[5]).toEqual({ id: 5, text: 'row 5 of the large answer, padded' });
    expect(outcome.warnings.join()).toMatch(/\/rows: the first \d+ of 60000 items/);
  });
});

describe('transient errors', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('are retried after a pause, and the number of retries is reported', async () => {
    // Forces the shortest backoff: two random pauses could use up the time limit of the tool.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    expect(await outcomeOf('faulty_read', 'flaky', 'r')).toMatchObject({ status: 'succeeded', retry_count: 2, extras: { cost: 0.03 } });
    expect(await outcomeOf('faulty_write', 'flaky', 'w')).toMatchObject({ status: 'succeeded', retry_count: 2 });
    expect(rig.world.faulty.runsOf('r')).toBe(3);
    expect(new Set(rig.world.faulty.runs.filter((run) => run.name === 'w').map((run) => run.key)).size).toBe(1);
  });

  test('are not retried before the retry_after of the other side', async () => {
    expect(await outcomeOf('faulty_read', 'busy_once')).toMatchObject({ status: 'succeeded', retry_count: 1 });
    const [first, second] = rig.world.faulty.runs;
    expect((second?.at_ms ?? 0) - (first?.at_ms ?? 0)).toBeGreaterThanOrEqual(395);
  });

  test('are not retried beyond the timeout of the tool, and permanent errors never are', async () => {
    expect(await outcomeOf('faulty_read', 'busy_for_long')).toMatchObject({
      status: 'failed',
      retry_count: 0,
      error: { code: 'RATE_LIMIT', retryable: true, retry_after_s: 3600 },
    });
    expect(await outcomeOf('faulty_read', 'for_good')).toMatchObject({ status: 'failed', retry_count: 0 });
  });

  test('a write without a guarantee about its effect is not retried', async () => {
    expect(await outcomeOf('faulty_write', 'flaky_unknown')).toMatchObject({ status: 'in_doubt' });
    expect(rig.world.faulty.runsOf('flaky_unknown')).toBe(1);
  });
});

describe('implausible outputs', () => {
  test('a blocking predicate fails a read; a warning one marks its result', async () => {
    const blocked = await outcomeOf('faulty_read', 'negative');
    expect(blocked).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR' } });
    expect(JSON.parse(blocked.error?.details_json as string)).toMatchObject({
      layer: 'sanity',
      issues: [{ predicate: 'total_not_negative' }, {}],
    });
    const warned = await outcomeOf('faulty_read', 'odd');
    expect(warned).toMatchObject({ status: 'succeeded', warnings: ['sanity: total_even does not hold'] });
    expect(JSON.parse(warned.extras?.validation_json as string)).toMatchObject({ layer: 'sanity', issues: [{ severity: 'warn' }] });
    expect(warned.extras?.provenance).toMatchObject({ source: 'faulty_read@1.0.0', confidence: 0.9 });
  });

  test('a write with a wrong output is read back: its effect exists, so it succeeded', async () => {
    const shape = await outcomeOf('verified_write', 'wrong_shape');
    expect(shape).toMatchObject({ status: 'succeeded', effect: 'happened', output_json: 'null', extras: { verified: true } });
    expect(shape.warnings.join()).toMatch(/the read-back found the effect/);
    const implausible = await outcomeOf('verified_write', 'negative');
    expect(implausible).toMatchObject({ status: 'succeeded', output_json: '{"ok":true,"total":-1}', extras: { verified: true } });
    expect(JSON.parse(implausible.extras?.validation_json as string)).toMatchObject({ layer: 'sanity' });
    expect(rig.world.faulty.runs).toHaveLength(2);
  });

  test('or reconciled, and the answer of its system is the output', async () => {
    const outcome = await outcomeOf('reconciled_write', 'wrong_shape');
    expect(outcome).toMatchObject({ status: 'succeeded', output_json: '{"ok":true,"found":"later"}', extras: { verified: true } });
    expect(rig.world.faulty.runs).toHaveLength(1);
  });
});

describe('a read-back', () => {
  test('confirms, contradicts or cannot tell; a contradicted effect is in doubt', async () => {
    expect(await outcomeOf('verified_write', 'answer')).toMatchObject({ status: 'succeeded', extras: { verified: true } });
    expect(await outcomeOf('verified_write', 'lie')).toMatchObject({ status: 'in_doubt', effect: 'unknown' });
    rig.world.faulty.verify = 'cannot_tell';
    expect(await outcomeOf('verified_write', 'answer', 'b')).toMatchObject({
      status: 'succeeded',
      extras: { verified: false },
      warnings: ['the effect could not be verified: the books are closed'],
    });
    rig.world.faulty.verify = 'throws';
    expect(await outcomeOf('verified_write', 'wrong_shape', 'c')).toMatchObject({ status: 'in_doubt' });
  });

  test.each(['nothing', 'maybe', 'trap'] as const)('with an invalid answer (%s) cannot tell', async (verify) => {
    rig.world.faulty.verify = verify;
    const outcome = await outcomeOf('verified_write', 'answer', verify);
    expect(outcome).toMatchObject({ status: 'succeeded', extras: { verified: false } });
    expect(outcome.warnings.join()).toMatch(/^the effect could not be verified: /);
  });
});

test('a reconcile with an unknown kind of answer is retried, then its write is in doubt', async () => {
  const rulings = await Promise.all(
    ['reconcile_nothing', 'reconcile_maybe', 'reconcile_trap', 'reconcile_without_reason'].map((name) =>
      rig.allow('reconciled_write', name, { act: 'wrong_shape' }),
    ),
  );
  const call_ids = rulings.map((ruling) => ruling.meta.call_id as string);
  for (const { event } of await rig.ends(call_ids, 60_000)) expect(event.outcome).toMatchObject({ status: 'in_doubt', effect: 'unknown' });
});

describe('a function that never responds', () => {
  /** Shortens the 10 s timeout of a reconcile or a read-back. */
  const hurried = () => {
    const real = globalThis.setTimeout;
    const hurry = (run: () => void, ms?: number) => real(run, ms === 10_000 ? 50 : ms);
    return vi.spyOn(globalThis, 'setTimeout').mockImplementation(hurry as typeof setTimeout);
  };
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('a reconcile: it times out and is retried, then its write is in doubt, also after a cancellation', async () => {
    const timers = hurried();
    const left = await rig.allow('reconciled_write', 'reconcile_hangs', { act: 'wrong_shape' });
    const cancelled = await rig.allow('reconciled_write', 'reconcile_hangs', { act: 'wrong_shape', case_id: 'case-2' });
    await rig.until(() => timers.mock.calls.filter(([, ms]) => ms === 10_000).length >= 2, 60_000);
    await rig.cancel(cancelled);
    const ends = await rig.ends([left.meta.call_id as string, cancelled.meta.call_id as string], 60_000);
    for (const { event } of ends) expect(event.outcome).toMatchObject({ status: 'in_doubt', effect: 'unknown' });
    expect(rig.world.faulty.runsOf('reconcile_hangs')).toBe(2);
    expect((await outcomeOf('reconciled_write', 'wrong_shape', 'the next write')).status).toBe('succeeded');
  });

  test('a read-back: the effect is not verified', async () => {
    hurried();
    rig.world.faulty.verify = 'hangs';
    const outcome = await outcomeOf('verified_write', 'answer', 'verify_hangs');
    expect(outcome).toMatchObject({ status: 'succeeded', extras: { verified: false } });
    expect(outcome.warnings).toEqual(['the effect could not be verified: the read-back timed out']);
    expect((await outcomeOf('verified_write', 'wrong_shape', 'verify_hangs_too')).status).toBe('in_doubt');
  });
});

test('a failed attachment that the tool does not await affects no other call', async () => {
  expect(await outcomeOf('faulty_read', 'attach_unawaited')).toMatchObject({ status: 'succeeded', attachments: [] });
});

test.each([
  ['faulty_read', { status: 'failed', effect: 'none', error: { code: 'UNKNOWN' } }],
  ['faulty_write', { status: 'in_doubt', effect: 'unknown', error: { code: 'IN_DOUBT' } }],
])('an end that cannot be written ends its own call (%s): the next ones go on', async (tool, end) => {
  const encode = rig.codec.encode.bind(rig.codec);
  const failing = vi.spyOn(rig.codec, 'encode').mockImplementation((type, event) => {
    if (type !== 'tool_executed') return encode(type, event);
    failing.mockRestore();
    throw new Error('no such branch');
  });
  expect(await outcomeOf(tool, 'answer', 'unwritten')).toMatchObject(end);
  expect(await outcomeOf(tool, 'answer', 'the one behind')).toMatchObject({ status: 'succeeded' });
});
